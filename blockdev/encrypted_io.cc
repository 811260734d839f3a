#include "blockdev/encrypted_io.h"

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

// Reads are not cut below this: calls cost more than a second pass over the cache saves
// (measured, docs/performance.md).
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

Geometry geometry_in_units(const Geometry& child, std::size_t unit_length) noexcept {
  Geometry geometry = child;
  geometry.alignment_bytes =
      std::max(child.alignment_bytes, static_cast<std::uint32_t>(unit_length));
  geometry.size_bytes = align_down(child.size_bytes, geometry.alignment_bytes);
  return geometry;
}

Result<EncryptedIo> EncryptedIo::create(const Geometry& geometry,
                                        std::unique_ptr<const UnitCipher> cipher,
                                        std::unique_ptr<CryptoPool> pool) {
  const std::size_t unit = cipher->data_unit_bytes();
  if (!is_power_of_two(unit) || unit > min_piece_bytes) {
    return Error{ErrorCode::invalid_argument, 0, "length of a data unit", unit};
  }
  auto scratch = BufferPool::create(write_piece_size(geometry, pool != nullptr), scratch_buffers,
                                    BufferContent::ciphertext);
  if (!scratch.ok()) return scratch.error();
  return EncryptedIo(geometry, std::move(cipher), std::move(pool), *std::move(scratch));
}

EncryptedIo::EncryptedIo(const Geometry& geometry, std::unique_ptr<const UnitCipher> cipher,
                         std::unique_ptr<CryptoPool> pool, BufferPool scratch) noexcept
    : cipher_(std::move(cipher)),
      pool_(std::move(pool)),
      unit_bytes_(cipher_->data_unit_bytes()),
      read_piece_bytes_(whole_request_size(geometry)),
      write_piece_bytes_(write_piece_size(geometry, pool_ != nullptr)),
      scratch_(std::move(scratch)) {}

void EncryptedIo::encrypt(std::uint64_t first_unit, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t bytes) noexcept {
  const std::size_t units = bytes / unit_bytes_;
  if (pool_ == nullptr) return cipher_->encrypt_units(first_unit, in, out, units);
  pool_->encrypt(*cipher_, first_unit, in, out, units);
}

void EncryptedIo::decrypt(std::uint64_t first_unit, MutableByteSpan memory) noexcept {
  const std::size_t units = memory.size() / unit_bytes_;
  if (pool_ == nullptr) {
    return cipher_->decrypt_units(first_unit, memory.data(), memory.data(), units);
  }
  pool_->decrypt(*cipher_, first_unit, memory.data(), memory.data(), units);
}

Status EncryptedIo::read(BlockDevice& device, std::uint64_t offset, std::uint64_t first_unit,
                         MutableByteSpan buffer) noexcept {
  for (std::size_t done = 0; done < buffer.size();) {
    const MutableByteSpan piece =
        buffer.subspan(done, std::min(read_piece_bytes_, buffer.size() - done));
    if (const Status status = device.read(offset + done, piece); !status.ok()) {
      secure_wipe(buffer.data(), done + piece.size());
      return status.error();
    }
    decrypt(first_unit + done / unit_bytes_, piece);
    done += piece.size();
  }
  return {};
}

Status EncryptedIo::write(BlockDevice& device, std::uint64_t offset, std::uint64_t first_unit,
                          ByteSpan buffer) noexcept {
  if (buffer.size() <= stack_scratch_bytes) {
    alignas(stack_scratch_alignment) std::uint8_t scratch[stack_scratch_bytes];
    return write_through(device, offset, first_unit, buffer, scratch);
  }
  const BufferPool::Lease scratch = scratch_.acquire();
  return write_through(device, offset, first_unit, buffer, scratch.span());
}

Status EncryptedIo::write_through(BlockDevice& device, std::uint64_t offset,
                                  std::uint64_t first_unit, ByteSpan buffer,
                                  MutableByteSpan scratch) noexcept {
  for (std::size_t done = 0; done < buffer.size();) {
    const std::size_t bytes = std::min({write_piece_bytes_, scratch.size(), buffer.size() - done});
    encrypt(first_unit + done / unit_bytes_, buffer.data() + done, scratch.data(), bytes);
    VOLT_TRY(device.write_consuming(offset + done, scratch.first(bytes)));
    done += bytes;
  }
  return {};
}

Status EncryptedIo::write_consuming(BlockDevice& device, std::uint64_t offset,
                                    std::uint64_t first_unit, MutableByteSpan buffer) noexcept {
  for (std::size_t done = 0; done < buffer.size();) {
    const MutableByteSpan piece =
        buffer.subspan(done, std::min(write_piece_bytes_, buffer.size() - done));
    encrypt(first_unit + done / unit_bytes_, piece.data(), piece.data(), piece.size());
    VOLT_TRY(device.write_consuming(offset + done, piece));
    done += piece.size();
  }
  return {};
}

bool EncryptedIo::plan(BlockDevice& layer, std::uint64_t first_unit, PlannedIo* io) noexcept {
  PlannedFrame* const frame = io->push(layer);
  if (frame == nullptr) return false;
  frame->kept = first_unit;
  return true;
}

void EncryptedIo::commit(const PlannedFrame& frame, MutableByteSpan memory) noexcept {
  encrypt(frame.kept, memory.data(), memory.data(), memory.size());
}

Status EncryptedIo::finish(const PlannedFrame& frame, const PlannedIo& io,
                           Status outcome) noexcept {
  if (io.write) return outcome;
  if (outcome.ok()) {
    decrypt(frame.kept, io.memory);
  } else {
    secure_wipe(io.memory.data(), io.memory.size());
  }
  return outcome;
}

}  // namespace volt
