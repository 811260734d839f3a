#include "blockdev/layers/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace volt {
namespace {

TEST(LatencyHistogram, BucketsTileTheRange) {
  for (std::size_t i = 0; i + 1 < LatencyHistogram::bucket_count; ++i) {
    const std::uint64_t low = LatencyHistogram::bucket_low_ns(i);
    const std::uint64_t next = LatencyHistogram::bucket_low_ns(i + 1);
    ASSERT_LT(low, next);
    ASSERT_LE(next - low, std::max<std::uint64_t>(1, low / 64)) << i;
  }
  constexpr auto last = LatencyHistogram::bucket_count - 1;
  EXPECT_LT(LatencyHistogram::bucket_low_ns(last), std::uint64_t{1} << 42);
}

TEST(LatencyHistogram, EachValueLandsInItsBucket) {
  auto histogram = std::make_unique<LatencyHistogram>();
  for (std::size_t i = 0; i + 1 < LatencyHistogram::bucket_count; ++i) {
    histogram->record(LatencyHistogram::bucket_low_ns(i));
    histogram->record(LatencyHistogram::bucket_low_ns(i + 1) - 1);
    ASSERT_EQ(histogram->bucket_value(i), 2U) << i;
  }
}

TEST(LatencyHistogram, EmptyIsZero) {
  const auto histogram = std::make_unique<LatencyHistogram>();
  EXPECT_EQ(histogram->count(), 0U);
  EXPECT_EQ(histogram->percentile_ns(0.99), 0U);
  EXPECT_EQ(histogram->max_ns(), 0U);
}

TEST(LatencyHistogram, PercentilesAgreeWithSortedValues) {
  constexpr std::uint64_t seed = 20261130;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> latency(11.0, 1.5);
  auto whole = std::make_unique<LatencyHistogram>();
  auto half = std::make_unique<LatencyHistogram>();
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 20000; ++i) {
    const auto value = static_cast<std::uint64_t>(latency(random));
    values.push_back(value);
    (i % 2 == 0 ? *whole : *half).record(value);
  }
  whole->merge_from(*half);
  std::sort(values.begin(), values.end());
  ASSERT_EQ(whole->count(), values.size());
  EXPECT_EQ(whole->max_ns(), values.back());
  for (const double fraction : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const double rank = std::ceil(fraction * static_cast<double>(values.size()));
    const std::uint64_t exact = values[rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1];
    const std::uint64_t reported = whole->percentile_ns(fraction);
    EXPECT_GE(reported, exact);
    EXPECT_LE(reported, exact + exact / 64 + 1) << fraction;
  }
}

TEST(LatencyHistogram, HugeValuesCountAtTheTop) {
  auto histogram = std::make_unique<LatencyHistogram>();
  histogram->record(~std::uint64_t{0});
  EXPECT_EQ(histogram->count(), 1U);
  EXPECT_EQ(histogram->percentile_ns(0.5), ~std::uint64_t{0});
  histogram->reset();
  EXPECT_EQ(histogram->count(), 0U);
  EXPECT_EQ(histogram->max_ns(), 0U);
}

}  // namespace
}  // namespace volt
