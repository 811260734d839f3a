// Time that can be injected: everything that waits or measures takes a Clock.
#pragma once

#include <atomic>
#include <cstdint>

namespace volt {

// Monotonic time in nanoseconds since some fixed moment.
// Thread contract: all calls from any thread.
class Clock {
 public:
  Clock() noexcept = default;
  virtual ~Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  virtual std::uint64_t now_ns() noexcept = 0;
  // Returns once now_ns() has reached `deadline_ns`.
  virtual void sleep_until_ns(std::uint64_t deadline_ns) noexcept = 0;
};

// CLOCK_MONOTONIC.
std::uint64_t monotonic_ns() noexcept;

// Stands still until told otherwise; a sleep moves it to the deadline at once. For tests with one
// thread, or where the order of threads does not matter.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::uint64_t start_ns = 0) noexcept : now_ns_(start_ns) {}
  std::uint64_t now_ns() noexcept override { return now_ns_.load(); }
  void sleep_until_ns(std::uint64_t deadline_ns) noexcept override;
  void advance_ns(std::uint64_t step_ns) noexcept { now_ns_.fetch_add(step_ns); }

 private:
  std::atomic<std::uint64_t> now_ns_;
};

}  // namespace volt
