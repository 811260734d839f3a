// An open descriptor as a BlockDevice.
#pragma once

#include "blockdev/device/block_device.h"

namespace volt {

// Does not own the descriptor. Whole requests or an error. Thread contract: as BlockDevice.
class FdDevice final : public BlockDevice {
 public:
  FdDevice(int fd, std::uint64_t size_bytes) noexcept
      : BlockDevice(Geometry{.size_bytes = size_bytes}), fd_(fd) {}

 private:
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_flush() noexcept override;

  int fd_;
};

}  // namespace volt
