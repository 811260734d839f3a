#include "blockdev/slice_device.h"

#include <utility>

namespace volt {

Result<DevicePtr> SliceDevice::create(DevicePtr child, std::uint64_t offset, std::uint64_t length,
                                      const SliceOptions& options) {
  Geometry geometry = child->geometry();
  if (offset > geometry.size_bytes || length > geometry.size_bytes - offset) {
    return Error{ErrorCode::out_of_range, 0, "window past the end of the device", offset};
  }
  if (((offset | length) & (geometry.alignment_bytes - 1)) != 0) {
    return Error{ErrorCode::misaligned, 0, "window not aligned to the device", offset};
  }
  geometry.size_bytes = length;
  geometry.read_only = geometry.read_only || options.read_only;
  geometry.can_discard = geometry.can_discard && !options.no_discard;
  return DevicePtr(new SliceDevice(geometry, std::move(child), offset));
}

Status SliceDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  return child().read(offset_ + offset, buffer);
}

Status SliceDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  return child().write(offset_ + offset, buffer);
}

Status SliceDevice::do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  return child().write_consuming(offset_ + offset, buffer);
}

bool SliceDevice::do_plan(PlannedIo* io) noexcept {
  io->offset += offset_;
  return plan_child(io);
}

Status SliceDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  return child().discard(offset_ + offset, length);
}

}  // namespace volt
