// A device with a part that is not there: what is left of a container that was cut short.
#pragma once

#include "blockdev/forwarding_device.h"

namespace volt {

// Owns its child. Has `size_bytes`, of which the child holds the first; a request that touches a
// byte past the child's end fails whole (ErrorCode::io, detail: where the child ends), so that
// nothing reads as zeros and nothing is appended. Thread contract: as BlockDevice.
class CutDevice final : public ForwardingDevice {
 public:
  // Errors: out_of_range (smaller than the child), misaligned (`size_bytes`, to the child).
  static Result<DevicePtr> create(DevicePtr child, std::uint64_t size_bytes);

 private:
  CutDevice(const Geometry& geometry, DevicePtr&& child) noexcept
      : ForwardingDevice(geometry, std::move(child)) {}
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  bool do_plan(PlannedIo* io) noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;
  Status is_there(std::uint64_t offset, std::uint64_t length) const noexcept;
};

}  // namespace volt
