#include "blockdev/extent_map_device.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace volt {

Result<DevicePtr> ExtentMapDevice::create(DevicePtr child, ExtentMap map,
                                          std::unique_ptr<const UnitCipher> cipher,
                                          std::unique_ptr<CryptoPool> pool) {
  if (map.has_encrypted() && cipher == nullptr) {
    return Error{ErrorCode::invalid_argument, 0, "encrypted extents without a cipher", 0};
  }
  const std::size_t unit = map.has_encrypted() ? cipher->data_unit_bytes() : 1;
  Geometry geometry = child->geometry();
  const std::uint32_t block_bytes = geometry.alignment_bytes;
  geometry.size_bytes = map.size_bytes();
  geometry.alignment_bytes = map.alignment_bytes(block_bytes, unit);
  geometry.read_only = geometry.read_only || !map.has_writable();
  geometry.can_discard = geometry.can_discard && map.has_writable();
  std::optional<EncryptedIo> io;
  if (map.has_encrypted()) {
    auto made = EncryptedIo::create(geometry, std::move(cipher), std::move(pool));
    if (!made.ok()) return made.error();
    io.emplace(*std::move(made));
  }
  VOLT_TRY(map.check_container(child->size(), block_bytes, unit));
  return DevicePtr(new ExtentMapDevice(geometry, std::move(child), std::move(map), std::move(io)));
}

template <class Call>
Status ExtentMapDevice::for_each_extent(std::uint64_t offset, std::uint64_t length,
                                        const Call& call) noexcept {
  for (std::uint64_t done = 0; done < length;) {
    const Extent& extent = map_.find(offset + done);
    const std::uint64_t into = offset + done - extent.offset;
    const std::uint64_t bytes = std::min(length - done, extent.length - into);
    VOLT_TRY(call(extent, into, done, bytes));
    done += bytes;
  }
  return {};
}

Status ExtentMapDevice::permit(std::uint64_t offset, std::uint64_t length) noexcept {
  return for_each_extent(
      offset, length,
      [](const Extent& extent, std::uint64_t into, std::uint64_t, std::uint64_t) -> Status {
        if (extent.writable) return {};
        return Error{ErrorCode::permission, 0, "this part of the volume is read-only",
                     extent.offset + into};
      });
}

Status ExtentMapDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  std::uint64_t touched = 0;
  const Status status = for_each_extent(offset, buffer.size(),
                                        [&](const Extent& extent, std::uint64_t into,
                                            std::uint64_t from, std::uint64_t bytes) -> Status {
                                          touched = from + bytes;
                                          const MutableByteSpan part = buffer.subspan(from, bytes);
                                          switch (extent.kind) {
                                            case ExtentKind::encrypted:
                                              return io_->read(child(), extent.source + into,
                                                               unit_at(extent, into), part);
                                            case ExtentKind::plain:
                                              return child().read(extent.source + into, part);
                                            case ExtentKind::zero:
                                              std::memset(part.data(), 0, part.size());
                                              break;
                                          }
                                          return {};
                                        });
  if (!status.ok()) secure_wipe(buffer.data(), touched);
  return status;
}

Status ExtentMapDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  VOLT_TRY(permit(offset, buffer.size()));
  return for_each_extent(
      offset, buffer.size(),
      [&](const Extent& extent, std::uint64_t into, std::uint64_t from, std::uint64_t bytes) {
        const ByteSpan part = buffer.subspan(from, bytes);
        const std::uint64_t at = extent.source + into;
        if (extent.kind == ExtentKind::plain) return child().write(at, part);
        return io_->write(child(), at, unit_at(extent, into), part);
      });
}

Status ExtentMapDevice::do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  VOLT_TRY(permit(offset, buffer.size()));
  return for_each_extent(
      offset, buffer.size(),
      [&](const Extent& extent, std::uint64_t into, std::uint64_t from, std::uint64_t bytes) {
        const MutableByteSpan part = buffer.subspan(from, bytes);
        const std::uint64_t at = extent.source + into;
        if (extent.kind == ExtentKind::plain) return child().write_consuming(at, part);
        return io_->write_consuming(child(), at, unit_at(extent, into), part);
      });
}

bool ExtentMapDevice::do_plan(PlannedIo* io) noexcept {
  const Extent& extent = map_.find(io->offset);
  const std::uint64_t into = io->offset - extent.offset;
  if (io->memory.size() > extent.length - into) return false;
  if (extent.kind == ExtentKind::zero || (io->write && !extent.writable)) return false;
  if (extent.kind == ExtentKind::encrypted &&
      !EncryptedIo::plan(*this, unit_at(extent, into), io)) {
    return false;
  }
  io->offset = extent.source + into;
  return plan_child(io);
}

// Only requests in an encrypted extent have a frame.
void ExtentMapDevice::do_commit(const PlannedFrame& frame, MutableByteSpan memory) noexcept {
  io_->commit(frame, memory);
}

Status ExtentMapDevice::do_finish(const PlannedFrame& frame, const PlannedIo& io,
                                  Status outcome) noexcept {
  return io_->finish(frame, io, outcome);
}

Status ExtentMapDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  VOLT_TRY(permit(offset, length));
  return for_each_extent(
      offset, length,
      [&](const Extent& extent, std::uint64_t into, std::uint64_t, std::uint64_t bytes) {
        return child().discard(extent.source + into, bytes);
      });
}

}  // namespace volt
