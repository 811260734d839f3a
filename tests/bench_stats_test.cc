#include "tools/bench_stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace volt {
namespace {

TEST(BenchStats, MedianOfOddAndEven) {
  EXPECT_EQ(median_of(std::vector<double>{}), 0);
  EXPECT_EQ(median_of(std::vector<double>{7}), 7);
  EXPECT_EQ(median_of(std::vector<double>{9, 1, 5}), 5);
  EXPECT_EQ(median_of(std::vector<double>{9, 1, 5, 6}), 5.5);
}

TEST(BenchStats, SpreadIsRobust) {
  const Spread spread = spread_of(std::vector<double>{10, 12, 11, 13, 1000});
  EXPECT_EQ(spread.median, 12);
  EXPECT_EQ(spread.min, 10);
  EXPECT_EQ(spread.max, 1000);
  EXPECT_EQ(spread.mad, 1);
}

TEST(BenchStats, MiddleIndices) {
  EXPECT_TRUE(middle_indices(std::vector<double>{}).empty());
  EXPECT_EQ(middle_indices(std::vector<double>{3, 1, 2}), (std::vector<std::size_t>{2}));
  EXPECT_EQ(middle_indices(std::vector<double>{4, 1, 3, 2}), (std::vector<std::size_t>{3, 2}));
}

TEST(BenchStats, OneRoundTellsNothing) {
  const Ratio ratio = bootstrap_ratio(std::vector<double>{100}, std::vector<double>{50}, 1);
  EXPECT_EQ(ratio.ratio, 0.5);
  EXPECT_FALSE(ratio.difference);
}

TEST(BenchStats, SameSeedSameInterval) {
  const std::vector<double> a = {100, 103, 98, 101, 99};
  const std::vector<double> b = {90, 95, 88, 91, 93};
  const Ratio first = bootstrap_ratio(a, b, 42);
  const Ratio second = bootstrap_ratio(a, b, 42);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_LE(first.low, first.ratio);
  EXPECT_GE(first.high, first.ratio);
}

// Share of simulated comparisons that report a difference. Rounds drift together, each run has its
// own noise besides.
double reported(double true_ratio, std::size_t rounds, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> own(0, noise);
  std::normal_distribution<double> drift(0, 0.05);
  constexpr int trials = 400;
  int differences = 0;
  for (int i = 0; i < trials; ++i) {
    std::vector<double> base;
    std::vector<double> target;
    for (std::size_t round = 0; round < rounds; ++round) {
      const double level = 1000 * std::exp(drift(random));
      base.push_back(level * std::exp(own(random)));
      target.push_back(level * true_ratio * std::exp(own(random)));
    }
    if (bootstrap_ratio(base, target, random()).difference) ++differences;
  }
  return static_cast<double>(differences) / trials;
}

TEST(BenchStats, SameTargetTwiceIsRarelyDifferent) {
  constexpr std::uint64_t seed = 6;
  SCOPED_TRACE(seed);
  for (const std::size_t rounds : {2U, 3U, 4U, 5U, 7U, 10U}) {
    EXPECT_LE(reported(1.0, rounds, 0.03, seed), 0.10) << rounds << " rounds";
  }
}

TEST(BenchStats, TenPercentSlowerIsFound) {
  constexpr std::uint64_t seed = 7;
  SCOPED_TRACE(seed);
  EXPECT_GE(reported(0.9, 5, 0.02, seed), 0.90);
  EXPECT_GE(reported(0.9, 10, 0.03, seed), 0.90);
}

}  // namespace
}  // namespace volt
