// A device that belongs to somebody else, as one that can stand in a stack.
#pragma once

#include "blockdev/block_device.h"

namespace volt {

// Forwards everything, planned requests too. The device must outlive it. Thread contract: as the
// device's.
class BorrowedDevice final : public BlockDevice {
 public:
  explicit BorrowedDevice(BlockDevice& device) noexcept
      : BlockDevice(device.geometry()), device_(device) {}

 private:
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override {
    return device_.read(offset, buffer);
  }
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override {
    return device_.write(offset, buffer);
  }
  Status do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept override {
    return device_.write_consuming(offset, buffer);
  }
  bool do_plan(PlannedIo* io) noexcept override { return plan_below(device_, io); }
  Status do_flush() noexcept override { return device_.flush(); }
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override {
    return device_.discard(offset, length);
  }

  BlockDevice& device_;
};

}  // namespace volt
