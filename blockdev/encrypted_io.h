// Encrypted reads and writes on a device, with the number of the first data unit stated each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "blockdev/block_device.h"
#include "blockdev/buffer_pool.h"
#include "blockdev/crypto_pool.h"
#include "crypto/cascade.h"

namespace volt {

// What layers that encrypt have in common: the cipher, the cores that may share its work, and
// memory for writes whose caller keeps the buffer. Requests are whole data units of
// data_unit_bytes() and aligned to the geometry it was made for. Thread contract: all from any
// threads at once, once it has its place (it may be moved before).
class EncryptedIo {
 public:
  // `geometry`: of the layer that uses it. `pool` null: never shared. Errors: invalid_argument (a
  // data unit that is no power of two, or longer than 64 KiB), no_memory.
  static Result<EncryptedIo> create(const Geometry& geometry,
                                    std::unique_ptr<const UnitCipher> cipher,
                                    std::unique_ptr<CryptoPool> pool);

  std::size_t data_unit_bytes() const noexcept { return unit_bytes_; }

  // From and to `device` at `offset`. A failed read leaves `buffer` wiped as far as it was touched.
  Status read(BlockDevice& device, std::uint64_t offset, std::uint64_t first_unit,
              MutableByteSpan buffer) noexcept;
  Status write(BlockDevice& device, std::uint64_t offset, std::uint64_t first_unit,
               ByteSpan buffer) noexcept;
  // Encrypts `buffer` in place.
  Status write_consuming(BlockDevice& device, std::uint64_t offset, std::uint64_t first_unit,
                         MutableByteSpan buffer) noexcept;

  // The same of a planned request, for a layer's do_plan(), do_commit() and do_finish(). The frame
  // keeps the number of the first unit.
  static bool plan(BlockDevice& layer, std::uint64_t first_unit, PlannedIo* io) noexcept;
  void commit(const PlannedFrame& frame, MutableByteSpan memory) noexcept;
  Status finish(const PlannedFrame& frame, const PlannedIo& io, Status outcome) noexcept;

 private:
  EncryptedIo(const Geometry& geometry, std::unique_ptr<const UnitCipher> cipher,
              std::unique_ptr<CryptoPool> pool, BufferPool scratch) noexcept;
  void decrypt(std::uint64_t first_unit, MutableByteSpan memory) noexcept;
  void encrypt(std::uint64_t first_unit, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) noexcept;
  Status write_through(BlockDevice& device, std::uint64_t offset, std::uint64_t first_unit,
                       ByteSpan buffer, MutableByteSpan scratch) noexcept;

  std::unique_ptr<const UnitCipher> cipher_;
  std::unique_ptr<CryptoPool> pool_;
  std::size_t unit_bytes_;
  std::size_t read_piece_bytes_;
  std::size_t write_piece_bytes_;
  BufferPool scratch_;
};

// `child`'s geometry, for whole data units of `unit_length` bytes only.
Geometry geometry_in_units(const Geometry& child, std::size_t unit_length) noexcept;

}  // namespace volt
