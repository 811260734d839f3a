#include "blockdev/guard_device.h"

#include <utility>

namespace volt {

GuardDevice::GuardDevice(DevicePtr child, std::uint64_t from_bytes, std::uint64_t to_bytes) noexcept
    : ForwardingDevice(std::move(child)), from_bytes_(from_bytes), to_bytes_(to_bytes) {}

Status GuardDevice::permit(std::uint64_t offset, std::uint64_t length) const noexcept {
  if (offset < to_bytes_ && offset + length > from_bytes_) {
    return Error{ErrorCode::refused, 0, "write into the protected hidden volume", offset};
  }
  return {};
}

Status GuardDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  VOLT_TRY(permit(offset, buffer.size()));
  return child().write(offset, buffer);
}

Status GuardDevice::do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  VOLT_TRY(permit(offset, buffer.size()));
  return child().write_consuming(offset, buffer);
}

bool GuardDevice::do_plan(PlannedIo* io) noexcept {
  if (io->write && !permit(io->offset, io->memory.size()).ok()) return false;
  return plan_child(io);
}

Status GuardDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  VOLT_TRY(permit(offset, length));
  return child().discard(offset, length);
}

}  // namespace volt
