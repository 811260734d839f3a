// Encryption around a device of ciphertext.
#pragma once

#include <memory>

#include "blockdev/block_device.h"
#include "blockdev/buffer_pool.h"
#include "blockdev/crypto_pool.h"
#include "crypto/cascade.h"

namespace volt {

// Owns its child and its cipher. Requests are whole data units (512 bytes, more where the child
// demands more). Reads land in the caller's buffer and are decrypted there, up to 1 MiB at once.
// Writes are encrypted in pieces of the child's preferred size (small enough to stay in cache where
// the child is memory, whole requests where it is a disk), in place where the caller gave the
// buffer away, else into scratch memory. Nothing is allocated per request. With a CryptoPool, long
// requests under a slow cipher are shared among idle cores. A read that fails wipes what it has
// written of the caller's buffer. Thread contract: as BlockDevice.
class EncryptedDevice final : public BlockDevice {
 public:
  // `first_unit` is the number of the data unit at byte 0. Bytes past the last whole unit cannot
  // be reached. Errors: invalid_argument (unit numbers would wrap), no_memory.
  static Result<DevicePtr> create(DevicePtr child, std::unique_ptr<const UnitCipher> cipher,
                                  std::uint64_t first_unit,
                                  std::unique_ptr<CryptoPool> pool = nullptr);

 private:
  EncryptedDevice(const Geometry& geometry, DevicePtr child,
                  std::unique_ptr<const UnitCipher> cipher, std::uint64_t first_unit,
                  std::unique_ptr<CryptoPool> pool, BufferPool scratch) noexcept;
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  bool do_plan(PlannedIo* io) noexcept override;
  Status do_finish(PlannedIo* io, Status outcome) noexcept override;
  Status do_flush() noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;
  void encrypt(std::uint64_t offset, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) noexcept;
  void decrypt_in_place(std::uint64_t offset, MutableByteSpan buffer) noexcept;
  Status write_through(std::uint64_t offset, ByteSpan buffer, MutableByteSpan scratch) noexcept;

  DevicePtr child_;
  std::unique_ptr<const UnitCipher> cipher_;
  std::unique_ptr<CryptoPool> pool_;  // null: never shared
  std::uint64_t first_unit_;
  std::size_t read_piece_bytes_;
  std::size_t write_piece_bytes_;
  BufferPool scratch_;
};

}  // namespace volt
