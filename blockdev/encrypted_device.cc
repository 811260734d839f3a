#include "blockdev/encrypted_device.h"

#include <algorithm>
#include <utility>

#include "blockdev/io_range.h"

namespace volt {

namespace {

// Writes up to this long are encrypted into the stack, so that any number may be under way at
// once. It is ciphertext, so it needs neither locking nor wiping.
constexpr std::size_t stack_scratch_bytes = 16384;
constexpr std::size_t stack_scratch_alignment = 4096;
constexpr std::size_t min_piece_bytes = 65536;
constexpr std::size_t max_piece_bytes = 1048576;
constexpr unsigned scratch_buffers = 8;

Geometry encrypted_geometry(const Geometry& child) noexcept {
  Geometry geometry = child;
  geometry.alignment_bytes =
      std::max(child.alignment_bytes, static_cast<std::uint32_t>(unit_bytes));
  geometry.size_bytes = align_down(child.size_bytes, geometry.alignment_bytes);
  return geometry;
}

// Reads are not cut below this: calls cost more than a second pass over the cache saves
// (measured, docs/measurements/2026-11-30-devices-and-stacks.md).
std::size_t whole_request_size(const Geometry& geometry) noexcept {
  return std::max<std::size_t>(max_piece_bytes, geometry.alignment_bytes);
}

// Where cores share the work, the whole of a request: a slow cipher does not feel the cache.
std::size_t write_piece_size(const Geometry& geometry, bool shared) noexcept {
  if (shared) return whole_request_size(geometry);
  const std::size_t smallest = std::max<std::size_t>(min_piece_bytes, geometry.alignment_bytes);
  const std::size_t wanted = std::clamp<std::size_t>(geometry.preferred_io_bytes, smallest,
                                                     std::max(smallest, max_piece_bytes));
  return align_down(wanted, geometry.alignment_bytes);
}

}  // namespace

Result<DevicePtr> EncryptedDevice::create(DevicePtr child, std::unique_ptr<const UnitCipher> cipher,
                                          std::uint64_t first_unit,
                                          std::unique_ptr<CryptoPool> pool) {
  const Geometry geometry = encrypted_geometry(child->geometry());
  if (first_unit > UINT64_MAX - geometry.size_bytes / unit_bytes) {
    return Error{ErrorCode::invalid_argument, 0, "data unit numbers", first_unit};
  }
  auto scratch = BufferPool::create(write_piece_size(geometry, pool != nullptr), scratch_buffers,
                                    BufferContent::ciphertext);
  if (!scratch.ok()) return scratch.error();
  return DevicePtr(new EncryptedDevice(geometry, std::move(child), std::move(cipher), first_unit,
                                       std::move(pool), *std::move(scratch)));
}

EncryptedDevice::EncryptedDevice(const Geometry& geometry, DevicePtr child,
                                 std::unique_ptr<const UnitCipher> cipher, std::uint64_t first_unit,
                                 std::unique_ptr<CryptoPool> pool, BufferPool scratch) noexcept
    : BlockDevice(geometry),
      child_(std::move(child)),
      cipher_(std::move(cipher)),
      pool_(std::move(pool)),
      first_unit_(first_unit),
      read_piece_bytes_(whole_request_size(geometry)),
      write_piece_bytes_(write_piece_size(geometry, pool_ != nullptr)),
      scratch_(std::move(scratch)) {}

Status EncryptedDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  for (std::size_t done = 0; done < buffer.size();) {
    const MutableByteSpan piece =
        buffer.subspan(done, std::min(read_piece_bytes_, buffer.size() - done));
    if (const Status status = child_->read(offset + done, piece); !status.ok()) {
      secure_wipe(buffer.data(), done + piece.size());
      return status.error();
    }
    decrypt_in_place(offset + done, piece);
    done += piece.size();
  }
  return {};
}

Status EncryptedDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  if (buffer.size() <= stack_scratch_bytes) {
    alignas(stack_scratch_alignment) std::uint8_t scratch[stack_scratch_bytes];
    return write_through(offset, buffer, scratch);
  }
  const BufferPool::Lease scratch = scratch_.acquire();
  return write_through(offset, buffer, scratch.span());
}

Status EncryptedDevice::write_through(std::uint64_t offset, ByteSpan buffer,
                                      MutableByteSpan scratch) noexcept {
  for (std::size_t done = 0; done < buffer.size();) {
    const std::size_t bytes = std::min({write_piece_bytes_, scratch.size(), buffer.size() - done});
    encrypt(offset + done, buffer.data() + done, scratch.data(), bytes);
    VOLT_TRY(child_->write(offset + done, scratch.first(bytes)));
    done += bytes;
  }
  return {};
}

void EncryptedDevice::encrypt(std::uint64_t offset, const std::uint8_t* in, std::uint8_t* out,
                              std::size_t bytes) noexcept {
  const std::uint64_t unit = first_unit_ + offset / unit_bytes;
  if (pool_ == nullptr) return cipher_->encrypt_units(unit, in, out, bytes / unit_bytes);
  pool_->encrypt(*cipher_, unit, in, out, bytes / unit_bytes);
}

void EncryptedDevice::decrypt_in_place(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  const std::uint64_t unit = first_unit_ + offset / unit_bytes;
  const std::size_t units = buffer.size() / unit_bytes;
  if (pool_ == nullptr) return cipher_->decrypt_units(unit, buffer.data(), buffer.data(), units);
  pool_->decrypt(*cipher_, unit, buffer.data(), buffer.data(), units);
}

Status EncryptedDevice::do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  for (std::size_t done = 0; done < buffer.size();) {
    const MutableByteSpan piece =
        buffer.subspan(done, std::min(write_piece_bytes_, buffer.size() - done));
    encrypt(offset + done, piece.data(), piece.data(), piece.size());
    VOLT_TRY(child_->write(offset + done, piece));
    done += piece.size();
  }
  return {};
}

bool EncryptedDevice::do_plan(PlannedIo* io) noexcept {
  const std::uint64_t offset = io->offset;
  if (!child_->plan(io)) return false;
  io->encrypted_offset = offset;
  // Only now, when nothing can be refused any more: the caller may still need its data.
  if (io->write)
    encrypt(io->encrypted_offset, io->memory.data(), io->memory.data(), io->memory.size());
  return true;
}

Status EncryptedDevice::do_finish(PlannedIo* io, Status outcome) noexcept {
  const MutableByteSpan memory = io->memory;
  const Status status = child_->finish(io, outcome);
  if (io->write) return status;
  if (!status.ok()) {
    secure_wipe(memory.data(), memory.size());
    return status;
  }
  decrypt_in_place(io->encrypted_offset, memory);
  return status;
}

Status EncryptedDevice::do_flush() noexcept {
  return child_->flush();
}

Status EncryptedDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  return child_->discard(offset, length);
}

}  // namespace volt
