#include "blockdev/cut_device.h"

#include <utility>

namespace volt {

Result<DevicePtr> CutDevice::create(DevicePtr child, std::uint64_t size_bytes) {
  Geometry geometry = child->geometry();
  if (size_bytes < geometry.size_bytes) {
    return Error{ErrorCode::out_of_range, 0, "less than there is", size_bytes};
  }
  if ((size_bytes & (geometry.alignment_bytes - 1)) != 0) {
    return Error{ErrorCode::misaligned, 0, "size not aligned to the device", size_bytes};
  }
  geometry.size_bytes = size_bytes;
  return DevicePtr(new CutDevice(geometry, std::move(child)));
}

Status CutDevice::is_there(std::uint64_t offset, std::uint64_t length) const noexcept {
  const std::uint64_t end = child().size();
  if (offset <= end && length <= end - offset) return {};
  return Error{ErrorCode::io, 0, "past the end of the container, which is cut short", end};
}

Status CutDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  VOLT_TRY(is_there(offset, buffer.size()));
  return child().read(offset, buffer);
}

Status CutDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  VOLT_TRY(is_there(offset, buffer.size()));
  return child().write(offset, buffer);
}

Status CutDevice::do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  VOLT_TRY(is_there(offset, buffer.size()));
  return child().write_consuming(offset, buffer);
}

bool CutDevice::do_plan(PlannedIo* io) noexcept {
  return is_there(io->offset, io->memory.size()).ok() && plan_child(io);
}

Status CutDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  VOLT_TRY(is_there(offset, length));
  return child().discard(offset, length);
}

}  // namespace volt
