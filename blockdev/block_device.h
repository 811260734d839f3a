// The one interface of everything that stores bytes: files, memory, and decorators over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "blockdev/planned_io.h"
#include "crypto/bytes.h"
#include "crypto/result.h"

namespace volt {

// Fixed at construction.
struct Geometry {
  std::uint64_t size_bytes = 0;
  std::uint32_t alignment_bytes = 1;   // offsets and lengths must be multiples (power of two)
  std::uint32_t memory_alignment = 1;  // buffer addresses must be multiples (power of two)
  std::uint32_t preferred_io_bytes = 65536;
  bool read_only = false;
  bool can_discard = false;
};

// Positional, all-or-error, callable from any number of threads at once.
//
// Order: two requests that overlap in time have no order, and neither is torn below one data unit
// (512 bytes) by a decorator. flush() returns after every write that had returned before it is on
// stable storage; nothing else orders anything.
// On a failed read the contents of the caller's buffer are unspecified, but never plaintext that
// was half decrypted next to ciphertext: a decorator that transforms wipes what it touched.
// On a failed write any part of the range may hold old or new bytes, unit by unit.
//
// The public calls check range, alignment and access once; overrides get only requests that are
// not empty, inside the device, aligned, and permitted.
class BlockDevice {
 public:
  virtual ~BlockDevice() = default;
  BlockDevice(const BlockDevice&) = delete;
  BlockDevice& operator=(const BlockDevice&) = delete;

  const Geometry& geometry() const noexcept { return geometry_; }
  std::uint64_t size() const noexcept { return geometry_.size_bytes; }

  // Errors of all five: out_of_range, misaligned, read_only, and whatever lies below.
  Status read(std::uint64_t offset, MutableByteSpan buffer) noexcept;
  Status write(std::uint64_t offset, ByteSpan buffer) noexcept;
  // As write(), but the caller gives the buffer's contents away: they are unspecified afterwards,
  // so that a device that transforms can do it in place and needs no memory of its own.
  Status write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept;
  // For callers who can do a file's I/O better than one thread a request (io_uring): true if the
  // request (write, offset, memory) comes to one transfer that can start now. It counts as under
  // way until finish(). False: nothing was done, nothing changed; use read() or write_consuming(),
  // which give the reason where there is one. Never waits for anything. Of a stack, only the top
  // layer is asked; a write's memory is transformed when all layers have agreed, top-down.
  bool plan(PlannedIo* io) noexcept;
  // Ends what plan() began, with the bytes that were transferred, or the error that ended the
  // transfer; gives the request's own outcome. Fewer bytes than the whole are an error.
  // Calls every layer that kept a frame, bottom-up. Of the same device that planned it, once.
  Status finish(PlannedIo* io, Result<std::size_t> transferred) noexcept;
  Status flush() noexcept;
  // Tells that the range holds nothing of value; it may read back as anything afterwards.
  // not_supported where can_discard is false.
  Status discard(std::uint64_t offset, std::uint64_t length) noexcept;

 protected:
  explicit BlockDevice(const Geometry& geometry) noexcept : geometry_(geometry) {}
  // For a layer's do_plan(): the same, of the layer below. False: `io` is as it was before.
  static bool plan_below(BlockDevice& below, PlannedIo* io) noexcept {
    return below.plan_layer(io);
  }

 private:
  virtual Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept = 0;
  virtual Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept = 0;
  virtual Status do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept;
  // Checks, locks without waiting, moves `io->offset`, and hands it on with plan_below(). A layer
  // with something left to do pushes a frame first; one that changes data on its way leaves the
  // memory alone until do_commit(). Where it returns false it has undone what it did outside `io`.
  virtual bool do_plan(PlannedIo* io) noexcept;
  // For each frame of a write, top-down, once nothing can be refused any more. Cannot fail.
  virtual void do_commit(const PlannedFrame& frame, MutableByteSpan memory) noexcept;
  // For each frame, bottom-up; `outcome` is that of the layers below.
  virtual Status do_finish(const PlannedFrame& frame, const PlannedIo& io, Status outcome) noexcept;
  virtual Status do_flush() noexcept = 0;
  virtual Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept;

  bool plan_layer(PlannedIo* io) noexcept;
  Status check(std::uint64_t offset, std::uint64_t length, const void* memory) const noexcept;
  Status check_write(std::uint64_t offset, ByteSpan buffer) const noexcept;

  Geometry geometry_;
};

using DevicePtr = std::unique_ptr<BlockDevice>;

}  // namespace volt
