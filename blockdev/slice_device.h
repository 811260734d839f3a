// A window of another device.
#pragma once

#include "blockdev/forwarding_device.h"

namespace volt {

struct SliceOptions {
  bool read_only = false;
  bool no_discard = false;
};

// Owns its child. Byte 0 is the child's byte `offset`. Thread contract: as BlockDevice.
class SliceDevice final : public ForwardingDevice {
 public:
  // Errors: out_of_range (the window does not fit), misaligned (its ends, to the child).
  static Result<DevicePtr> create(DevicePtr child, std::uint64_t offset, std::uint64_t length,
                                  const SliceOptions& options = {});

 private:
  SliceDevice(const Geometry& geometry, DevicePtr child, std::uint64_t offset) noexcept
      : ForwardingDevice(geometry, std::move(child)), offset_(offset) {}
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  bool do_plan(PlannedIo* io) noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;

  std::uint64_t offset_;
};

}  // namespace volt
