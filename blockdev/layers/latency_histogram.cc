#include "blockdev/layers/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace volt {

// Values below 2^step_bits have a bucket each. Above, the value's highest step_bits + 1 bits choose
// it: the position of the highest bit gives the row, the next step_bits bits the step in the row.
std::size_t LatencyHistogram::bucket_of(std::uint64_t latency_ns) noexcept {
  constexpr std::uint64_t limit = (std::uint64_t{1} << max_bits) - 1;
  const std::uint64_t value = std::min(latency_ns, limit);
  if (value < (std::uint64_t{1} << step_bits)) return static_cast<std::size_t>(value);
  const auto shift = static_cast<unsigned>(std::bit_width(value)) - 1 - step_bits;
  return (static_cast<std::size_t>(shift) << step_bits) + static_cast<std::size_t>(value >> shift);
}

std::uint64_t LatencyHistogram::bucket_low_ns(std::size_t bucket) noexcept {
  constexpr std::size_t steps = std::size_t{1} << step_bits;
  if (bucket < steps) return bucket;
  const std::size_t shift = (bucket >> step_bits) - 1;
  return static_cast<std::uint64_t>(bucket - (shift << step_bits)) << shift;
}

void LatencyHistogram::record(std::uint64_t latency_ns) noexcept {
  buckets_[bucket_of(latency_ns)].fetch_add(1, std::memory_order_relaxed);
  std::uint64_t seen = max_ns_.load(std::memory_order_relaxed);
  while (latency_ns > seen &&
         !max_ns_.compare_exchange_weak(seen, latency_ns, std::memory_order_relaxed)) {
  }
}

void LatencyHistogram::merge_from(const LatencyHistogram& other) noexcept {
  for (std::size_t i = 0; i < bucket_count; ++i) {
    const std::uint64_t count = other.buckets_[i].load(std::memory_order_relaxed);
    if (count != 0) buckets_[i].fetch_add(count, std::memory_order_relaxed);
  }
  const std::uint64_t other_max = other.max_ns();
  std::uint64_t seen = max_ns_.load(std::memory_order_relaxed);
  while (other_max > seen &&
         !max_ns_.compare_exchange_weak(seen, other_max, std::memory_order_relaxed)) {
  }
}

void LatencyHistogram::reset() noexcept {
  for (auto& bucket : buckets_) bucket.store(0, std::memory_order_relaxed);
  max_ns_.store(0, std::memory_order_relaxed);
}

std::uint64_t LatencyHistogram::count() const noexcept {
  std::uint64_t total = 0;
  for (const auto& bucket : buckets_) total += bucket.load(std::memory_order_relaxed);
  return total;
}

std::uint64_t LatencyHistogram::max_ns() const noexcept {
  return max_ns_.load(std::memory_order_relaxed);
}

std::uint64_t LatencyHistogram::percentile_ns(double fraction) const noexcept {
  const std::uint64_t total = count();
  if (total == 0) return 0;
  const double wanted = std::ceil(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(total));
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
  std::uint64_t passed = 0;
  for (std::size_t i = 0; i + 1 < bucket_count; ++i) {
    passed += buckets_[i].load(std::memory_order_relaxed);
    if (passed >= rank) return std::min(bucket_low_ns(i + 1) - 1, max_ns());
  }
  return max_ns();
}

std::uint64_t LatencyHistogram::bucket_value(std::size_t bucket) const noexcept {
  return bucket < bucket_count ? buckets_[bucket].load(std::memory_order_relaxed) : 0;
}

}  // namespace volt
