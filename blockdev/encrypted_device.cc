#include "blockdev/encrypted_device.h"

#include <utility>

namespace volt {

Result<DevicePtr> EncryptedDevice::create(DevicePtr child, std::unique_ptr<const UnitCipher> cipher,
                                          std::uint64_t first_unit,
                                          std::unique_ptr<CryptoPool> pool) {
  const std::size_t unit = cipher->data_unit_bytes();
  const Geometry geometry = geometry_in_units(child->geometry(), unit);
  auto io = EncryptedIo::create(geometry, std::move(cipher), std::move(pool));
  if (!io.ok()) return io.error();
  if (first_unit > UINT64_MAX - geometry.size_bytes / unit) {
    return Error{ErrorCode::invalid_argument, 0, "data unit numbers", first_unit};
  }
  return DevicePtr(new EncryptedDevice(geometry, std::move(child), *std::move(io), first_unit));
}

Status EncryptedDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  return io_.read(child(), offset, unit_at(offset), buffer);
}

Status EncryptedDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  return io_.write(child(), offset, unit_at(offset), buffer);
}

Status EncryptedDevice::do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  return io_.write_consuming(child(), offset, unit_at(offset), buffer);
}

bool EncryptedDevice::do_plan(PlannedIo* io) noexcept {
  return EncryptedIo::plan(*this, unit_at(io->offset), io) && plan_child(io);
}

void EncryptedDevice::do_commit(const PlannedFrame& frame, MutableByteSpan memory) noexcept {
  io_.commit(frame, memory);
}

Status EncryptedDevice::do_finish(const PlannedFrame& frame, const PlannedIo& io,
                                  Status outcome) noexcept {
  return io_.finish(frame, io, outcome);
}

}  // namespace volt
