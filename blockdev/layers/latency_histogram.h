// A log-linear histogram of nanoseconds: bounded error, no allocation, lock-free recording.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace volt {

// 128 linear steps in each power of two: a value is reported at most 1/128 (0.8 %) too high.
// Values up to 2^42 ns (over an hour); larger ones count as that.
// Thread contract: record() and the readers may run at once in any threads; a reader sees some
// recent state. merge_from() likewise.
class LatencyHistogram {
 public:
  static constexpr unsigned step_bits = 7;
  static constexpr unsigned max_bits = 42;
  static constexpr std::size_t bucket_count = (std::size_t{max_bits - step_bits} + 1) << step_bits;

  void record(std::uint64_t latency_ns) noexcept;
  void merge_from(const LatencyHistogram& other) noexcept;
  void reset() noexcept;
  std::uint64_t count() const noexcept;
  std::uint64_t max_ns() const noexcept;
  // Smallest recorded bucket bound that at least `fraction` (0..1) of the values do not exceed;
  // never more than max_ns(). 0 when empty.
  std::uint64_t percentile_ns(double fraction) const noexcept;
  // For exporting: bucket i holds values in [bucket_low_ns(i), bucket_low_ns(i + 1)).
  std::uint64_t bucket_value(std::size_t bucket) const noexcept;
  static std::uint64_t bucket_low_ns(std::size_t bucket) noexcept;

 private:
  static std::size_t bucket_of(std::uint64_t latency_ns) noexcept;

  std::array<std::atomic<std::uint64_t>, bucket_count> buckets_{};
  std::atomic<std::uint64_t> max_ns_{0};
};

}  // namespace volt
