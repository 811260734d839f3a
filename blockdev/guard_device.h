// Hidden-volume protection: refuses writes to a range.
#pragma once

#include "blockdev/forwarding_device.h"

namespace volt {

// Owns its child. A write or discard that touches a byte of [from, to) is refused whole, before
// anything of it is done (ErrorCode::refused). Thread contract: as BlockDevice.
class GuardDevice final : public ForwardingDevice {
 public:
  GuardDevice(DevicePtr child, std::uint64_t from_bytes, std::uint64_t to_bytes) noexcept;

 private:
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  bool do_plan(PlannedIo* io) noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;
  Status permit(std::uint64_t offset, std::uint64_t length) const noexcept;

  std::uint64_t from_bytes_;
  std::uint64_t to_bytes_;
};

}  // namespace volt
