#include "blockdev/clock.h"

#include <cerrno>
#include <ctime>

namespace volt {

namespace {

constexpr std::uint64_t ns_per_s = 1000000000;

class RealClock final : public Clock {
 public:
  std::uint64_t now_ns() noexcept override { return monotonic_ns(); }

  void sleep_until_ns(std::uint64_t deadline_ns) noexcept override {
    const timespec deadline{static_cast<time_t>(deadline_ns / ns_per_s),
                            static_cast<long>(deadline_ns % ns_per_s)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) == EINTR) {
    }
  }
};

}  // namespace

std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * ns_per_s +
         static_cast<std::uint64_t>(now.tv_nsec);
}

Clock& real_clock() noexcept {
  static RealClock clock;
  return clock;
}

void ManualClock::sleep_until_ns(std::uint64_t deadline_ns) noexcept {
  std::uint64_t now = now_ns_.load();
  while (now < deadline_ns && !now_ns_.compare_exchange_weak(now, deadline_ns)) {
  }
}

}  // namespace volt
