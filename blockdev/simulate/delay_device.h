// A slower device: fixed latency and a limit of bytes per second.
#pragma once

#include <mutex>

#include "blockdev/device/clock.h"
#include "blockdev/device/forwarding_device.h"

namespace volt {

struct DelayLimits {
  std::uint64_t latency_ns = 0;        // added to every request, flush and discard too
  std::uint64_t bytes_per_second = 0;  // shared by all requests; 0: no limit
};

// Owns its child; the clock outlives it. Latencies of concurrent requests overlap, transfers of
// their bytes do not, as on a disk with a queue behind one cable.
// Thread contract: as BlockDevice.
class DelayDevice final : public ForwardingDevice {
 public:
  DelayDevice(DevicePtr child, const DelayLimits& limits, Clock& clock) noexcept;

 private:
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_flush() noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;
  void delay(std::uint64_t bytes) noexcept;

  DelayLimits limits_;
  Clock& clock_;
  std::mutex mutex_;
  std::uint64_t busy_until_ns_ = 0;
};

}  // namespace volt
