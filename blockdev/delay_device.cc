#include "blockdev/delay_device.h"

#include <algorithm>
#include <utility>

namespace volt {

DelayDevice::DelayDevice(DevicePtr child, const DelayLimits& limits, Clock& clock) noexcept
    : ForwardingDevice(std::move(child)), limits_(limits), clock_(clock) {}

void DelayDevice::delay(std::uint64_t bytes) noexcept {
  std::uint64_t done_ns = 0;
  {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t start_ns = std::max(clock_.now_ns(), busy_until_ns_);
    std::uint64_t transfer_ns = 0;
    if (limits_.bytes_per_second != 0) {
      transfer_ns = static_cast<std::uint64_t>(1e9 * static_cast<double>(bytes) /
                                               static_cast<double>(limits_.bytes_per_second));
    }
    busy_until_ns_ = start_ns + transfer_ns;
    done_ns = busy_until_ns_ + limits_.latency_ns;
  }
  clock_.sleep_until_ns(done_ns);
}

Status DelayDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  delay(buffer.size());
  return child().read(offset, buffer);
}

Status DelayDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  delay(buffer.size());
  return child().write(offset, buffer);
}

Status DelayDevice::do_flush() noexcept {
  delay(0);
  return child().flush();
}

Status DelayDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  delay(0);
  return child().discard(offset, length);
}

}  // namespace volt
