// Any offset, any length, any memory over a device that demands alignment.
#pragma once

#include "blockdev/buffer_pool.h"
#include "blockdev/forwarding_device.h"
#include "blockdev/io_range.h"
#include "blockdev/range_lock.h"

namespace volt {

// Owns its child. Whole blocks in aligned memory pass straight through. Edges are read, modified
// and written back under a range lock on their block, so that neighbours in one block never lose
// one another's bytes; requests that do not share a block never wait for one another. Bytes of the
// child past its last whole block cannot be reached.
// Order: per block of the child, writes are linearisable; a long request is several child requests.
// Thread contract: as BlockDevice.
class AlignDevice final : public ForwardingDevice {
 public:
  // Errors: no_memory.
  static Result<DevicePtr> create(DevicePtr child);

 private:
  AlignDevice(const Geometry& geometry, DevicePtr child, BufferPool pool) noexcept;
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  bool do_plan(PlannedIo* io) noexcept override;
  Status do_finish(const PlannedFrame& frame, const PlannedIo& io,
                   Status outcome) noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;

  // Through the bounce buffer, which must hold the blocks that the range touches.
  Status read_bounced(std::uint64_t offset, MutableByteSpan buffer,
                      MutableByteSpan bounce) noexcept;
  Status write_bounced(std::uint64_t offset, ByteSpan buffer, MutableByteSpan bounce) noexcept;
  // Whole blocks: directly where the memory suits the child, else piece by piece.
  Status read_middle(std::uint64_t offset, MutableByteSpan buffer, MutableByteSpan bounce) noexcept;
  Status write_middle(std::uint64_t offset, ByteSpan buffer, MutableByteSpan bounce) noexcept;
  Status write_whole(std::uint64_t offset, ByteSpan buffer) noexcept;
  bool fits(const void* memory) const noexcept {
    return (reinterpret_cast<std::uintptr_t>(memory) & (memory_alignment_ - 1)) == 0;
  }
  std::uint64_t touched_bytes(std::uint64_t offset, std::uint64_t length) const noexcept {
    return align_up(offset + length, block_bytes_) - align_down(offset, block_bytes_);
  }

  std::uint32_t block_bytes_;
  std::uint32_t memory_alignment_;
  BufferPool pool_;
  RangeLock range_lock_;
};

}  // namespace volt
