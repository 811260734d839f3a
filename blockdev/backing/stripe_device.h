// RAID 0: several devices as one, chunk by chunk.
#pragma once

#include <memory>
#include <vector>

#include "blockdev/device/block_device.h"
#include "blockdev/device/helper_pool.h"

namespace volt {

// Owns its members. The layout is that of `mdadm --build --level=0` (no metadata) over members of
// equal size: chunk i of the array is chunk i / n of member i % n, and what a member has past its
// last whole chunk is not used. Members that differ by a chunk or more are refused: md would go on
// with the longer ones alone, in a layout that depends on the kernel's version.
// Requests that touch several members go to them at the same time.
// Thread contract: as BlockDevice.
class StripeDevice final : public BlockDevice {
 public:
  static constexpr std::size_t max_members = 16;

  // `chunk_bytes` is a power of two, 4 KiB to 1 GiB. Errors: invalid_argument (chunk, number of
  // members), wrong_file (sizes differ: detail is the smaller one; too small), misaligned (chunk,
  // to a member), no_memory.
  static Result<DevicePtr> create(std::vector<DevicePtr> members, std::uint64_t chunk_bytes);

 private:
  StripeDevice(const Geometry& geometry, std::vector<DevicePtr> members, std::uint64_t chunk_bytes,
               std::unique_ptr<HelperPool> helpers) noexcept;
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_flush() noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;

  // call(member, offset in it, offset in the request, bytes) for each chunk of the range; members
  // side by side, the chunks of one member in order, up to its first error.
  template <class Call>
  Status for_each_chunk(std::uint64_t offset, std::uint64_t length, const Call& call) noexcept;
  template <class Call>
  Status chunks_of_member(std::size_t member, std::uint64_t offset, std::uint64_t length,
                          const Call& call) noexcept;

  std::vector<DevicePtr> members_;
  std::uint64_t chunk_bytes_;
  std::unique_ptr<HelperPool> helpers_;
};

}  // namespace volt
