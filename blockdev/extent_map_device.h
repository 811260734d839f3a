// A volume whose parts lie here and there in its container: encrypted, plain, or nowhere.
#pragma once

#include <memory>
#include <optional>

#include "blockdev/encrypted_io.h"
#include "blockdev/extent_map.h"
#include "blockdev/forwarding_device.h"

namespace volt {

// Owns its child, the container. A request that meets several extents goes to them in order, and
// stops at the first error; a failed read leaves the caller's buffer wiped as far as it was
// touched. A write or discard that touches a byte of an extent that is not writable is refused
// whole, before anything of it is done (ErrorCode::permission, EPERM for who asked through FUSE).
// Planned where a request falls in one extent that lies somewhere. Nothing is allocated per
// request. Thread contract: as BlockDevice.
class ExtentMapDevice final : public ForwardingDevice {
 public:
  // `cipher` may be null where no extent is encrypted; `pool` as for EncryptedDevice. Read-only
  // where the child is, or no extent is writable. Errors: as ExtentMap::check_container();
  // invalid_argument (no cipher, data units of no usable length), no_memory.
  static Result<DevicePtr> create(DevicePtr child, ExtentMap map,
                                  std::unique_ptr<const UnitCipher> cipher,
                                  std::unique_ptr<CryptoPool> pool = nullptr);

 private:
  ExtentMapDevice(const Geometry& geometry, DevicePtr child, ExtentMap map,
                  std::optional<EncryptedIo> io) noexcept
      : ForwardingDevice(geometry, std::move(child)), map_(std::move(map)), io_(std::move(io)) {}
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  bool do_plan(PlannedIo* io) noexcept override;
  void do_commit(const PlannedFrame& frame, MutableByteSpan memory) noexcept override;
  Status do_finish(const PlannedFrame& frame, const PlannedIo& io,
                   Status outcome) noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;

  // call(extent, bytes into it, bytes into the request, bytes) for each extent that the range
  // meets, up to the first error.
  template <class Call>
  Status for_each_extent(std::uint64_t offset, std::uint64_t length, const Call& call) noexcept;
  Status permit(std::uint64_t offset, std::uint64_t length) noexcept;
  std::uint64_t unit_at(const Extent& extent, std::uint64_t into) const noexcept {
    return (extent.tweak_offset + into) / io_->data_unit_bytes();
  }

  ExtentMap map_;
  std::optional<EncryptedIo> io_;  // where an extent is encrypted
};

}  // namespace volt
