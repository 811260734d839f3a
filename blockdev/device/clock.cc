#include "blockdev/device/clock.h"

#include <ctime>

namespace volt {

std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void ManualClock::sleep_until_ns(std::uint64_t deadline_ns) noexcept {
  std::uint64_t now = now_ns_.load();
  while (now < deadline_ns && !now_ns_.compare_exchange_weak(now, deadline_ns)) {
  }
}

}  // namespace volt
