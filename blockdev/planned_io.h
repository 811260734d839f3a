// A request taken apart down to the one transfer on a file that it comes to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "crypto/bytes.h"
#include "crypto/result.h"

namespace volt {

class BlockDevice;

// What one layer keeps of a planned request until it is finished.
struct PlannedFrame {
  BlockDevice* layer = nullptr;
  std::uint64_t offset = 0;  // of the request, as this layer saw it
  std::uint64_t kept = 0;    // the layer's own: a lock's slot, a time, a unit's number
};

// Filled by BlockDevice::plan() from the top layer down; whoever asked does the transfer (read or
// write `memory` at `offset` of `fd`) and hands the outcome to BlockDevice::finish(). One owner; it
// must not be copied while it is planned.
struct PlannedIo {
  static constexpr std::size_t max_frames = 8;

  bool write = false;
  std::uint64_t offset = 0;  // of the layer that looks at it; in the end, of the file
  MutableByteSpan memory;    // a write's holds what goes into the file, once it is planned
  int fd = -1;

  // The layers' own. A layer that has something to do later pushes a frame before it plans the
  // layer below. Null: the stack is too deep, and the request cannot be planned.
  PlannedFrame* push(BlockDevice& layer) noexcept {
    if (depth == max_frames) return nullptr;
    frames[depth] = {&layer, offset, 0};
    return &frames[depth++];
  }
  std::array<PlannedFrame, max_frames> frames{};  // the top layer's first
  std::size_t depth = 0;
};

// What a transfer that failed at `offset` is called; `sys_errno` 0: it made no progress.
Error failed_transfer(bool write, int sys_errno, std::uint64_t offset) noexcept;

// The way of one planned transfer, which the kernel may end before it is whole.
class TransferProgress {
 public:
  // Takes what the last system call gave: bytes, or -errno. True: the rest is still to be
  // transferred, from done_bytes() on.
  bool go_on(const PlannedIo& io, int result) noexcept;
  std::size_t done_bytes() const noexcept { return done_bytes_; }
  // Once go_on() has said no: bytes transferred, or the error that ended it.
  Result<std::size_t> outcome(const PlannedIo& io) const noexcept;

 private:
  std::size_t done_bytes_ = 0;
  int errno_ = 0;
};

}  // namespace volt
