// Encryption around a device of ciphertext.
#pragma once

#include <memory>

#include "blockdev/crypto_pool.h"
#include "blockdev/encrypted_io.h"
#include "blockdev/forwarding_device.h"
#include "crypto/cascade.h"

namespace volt {

// Owns its child and its cipher. Requests are whole data units, as long as the cipher says (more
// where the child demands more). Reads land in the caller's buffer and are decrypted there, up to 1
// MiB at once. Writes are encrypted in pieces of the child's preferred size (small enough to stay
// in cache where the child is memory, whole requests where it is a disk), in place where the caller
// gave the buffer away, else into scratch memory. Nothing is allocated per request. With a
// CryptoPool, long requests under a slow cipher are shared among idle cores. A read that fails
// wipes what it has written of the caller's buffer. Thread contract: as BlockDevice.
class EncryptedDevice final : public ForwardingDevice {
 public:
  // `first_unit` is the number of the data unit at byte 0. Bytes past the last whole unit cannot
  // be reached. Errors: invalid_argument (unit numbers would wrap, data units of no usable
  // length), no_memory.
  static Result<DevicePtr> create(DevicePtr child, std::unique_ptr<const UnitCipher> cipher,
                                  std::uint64_t first_unit,
                                  std::unique_ptr<CryptoPool> pool = nullptr);

 private:
  EncryptedDevice(const Geometry& geometry, DevicePtr child, EncryptedIo io,
                  std::uint64_t first_unit) noexcept
      : ForwardingDevice(geometry, std::move(child)), first_unit_(first_unit), io_(std::move(io)) {}
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  bool do_plan(PlannedIo* io) noexcept override;
  void do_commit(const PlannedFrame& frame, MutableByteSpan memory) noexcept override;
  Status do_finish(const PlannedFrame& frame, const PlannedIo& io,
                   Status outcome) noexcept override;
  std::uint64_t unit_at(std::uint64_t offset) const noexcept {
    return first_unit_ + offset / io_.data_unit_bytes();
  }

  std::uint64_t first_unit_;
  EncryptedIo io_;
};

}  // namespace volt
