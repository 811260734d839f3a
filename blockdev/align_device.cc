#include "blockdev/align_device.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace volt {

namespace {

constexpr unsigned bounce_buffers = 32;
constexpr std::size_t min_bounce_bytes = 16384;

Geometry unaligned_geometry(const Geometry& child) noexcept {
  Geometry geometry = child;
  geometry.size_bytes = align_down(child.size_bytes, child.alignment_bytes);
  geometry.alignment_bytes = 1;
  geometry.memory_alignment = 1;
  return geometry;
}

}  // namespace

Result<DevicePtr> AlignDevice::create(DevicePtr child) {
  const Geometry geometry = unaligned_geometry(child->geometry());
  const std::size_t two_blocks = std::size_t{child->geometry().alignment_bytes} * 2;
  auto pool = BufferPool::create(std::max(min_bounce_bytes, two_blocks), bounce_buffers);
  if (!pool.ok()) return pool.error();
  return DevicePtr(new AlignDevice(geometry, std::move(child), *std::move(pool)));
}

AlignDevice::AlignDevice(const Geometry& geometry, DevicePtr child, BufferPool pool) noexcept
    : ForwardingDevice(geometry, std::move(child)),
      block_bytes_(this->child().geometry().alignment_bytes),
      memory_alignment_(this->child().geometry().memory_alignment),
      pool_(std::move(pool)) {}

Status AlignDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  const AlignedSplit split = split_aligned(offset, buffer.size(), block_bytes_);
  if (split.whole_blocks() && fits(buffer.data())) return child().read(offset, buffer);

  // A device writes whole blocks only and tears none, so reading needs no lock.
  const BufferPool::Lease bounce = pool_.acquire();
  if (touched_bytes(offset, buffer.size()) <= bounce.size()) {
    return read_bounced(offset, buffer, bounce.span());
  }
  if (split.head_bytes != 0) {
    VOLT_TRY(read_bounced(offset, buffer.first(split.head_bytes), bounce.span()));
  }
  const MutableByteSpan middle = buffer.subspan(split.head_bytes, split.middle_bytes);
  VOLT_TRY(read_middle(offset + split.head_bytes, middle, bounce.span()));
  if (split.tail_bytes == 0) return {};
  const std::uint64_t tail = offset + split.head_bytes + split.middle_bytes;
  return read_bounced(tail, buffer.last(split.tail_bytes), bounce.span());
}

Status AlignDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  const AlignedSplit split = split_aligned(offset, buffer.size(), block_bytes_);
  if (split.whole_blocks() && fits(buffer.data())) return write_whole(offset, buffer);

  // The buffer comes before the lock: who holds a lock never waits for a buffer.
  const BufferPool::Lease bounce = pool_.acquire();
  if (touched_bytes(offset, buffer.size()) <= bounce.size()) {
    return write_bounced(offset, buffer, bounce.span());
  }
  if (split.head_bytes != 0) {
    VOLT_TRY(write_bounced(offset, buffer.first(split.head_bytes), bounce.span()));
  }
  const ByteSpan middle = buffer.subspan(split.head_bytes, split.middle_bytes);
  VOLT_TRY(write_middle(offset + split.head_bytes, middle, bounce.span()));
  if (split.tail_bytes == 0) return {};
  const std::uint64_t tail = offset + split.head_bytes + split.middle_bytes;
  return write_bounced(tail, buffer.last(split.tail_bytes), bounce.span());
}

Status AlignDevice::write_whole(std::uint64_t offset, ByteSpan buffer) noexcept {
  const RangeLock::Shared lock(range_lock_, offset, offset + buffer.size());
  return child().write(offset, buffer);
}

Status AlignDevice::read_bounced(std::uint64_t offset, MutableByteSpan buffer,
                                 MutableByteSpan bounce) noexcept {
  const std::uint64_t begin = align_down(offset, block_bytes_);
  const std::uint64_t bytes = touched_bytes(offset, buffer.size());
  VOLT_TRY(child().read(begin, bounce.first(bytes)));
  std::memcpy(buffer.data(), bounce.data() + (offset - begin), buffer.size());
  return {};
}

Status AlignDevice::write_bounced(std::uint64_t offset, ByteSpan buffer,
                                  MutableByteSpan bounce) noexcept {
  const std::uint64_t begin = align_down(offset, block_bytes_);
  const std::uint64_t bytes = touched_bytes(offset, buffer.size());
  const std::uint64_t last_block = bytes - block_bytes_;
  const bool head_partial = offset != begin;
  const bool tail_partial = offset + buffer.size() != begin + bytes;

  const RangeLock::Exclusive lock(range_lock_, begin, begin + bytes);
  if (head_partial || (tail_partial && last_block == 0)) {
    VOLT_TRY(child().read(begin, bounce.first(block_bytes_)));
  }
  if (tail_partial && last_block != 0) {
    VOLT_TRY(child().read(begin + last_block, bounce.subspan(last_block, block_bytes_)));
  }
  std::memcpy(bounce.data() + (offset - begin), buffer.data(), buffer.size());
  return child().write(begin, bounce.first(bytes));
}

Status AlignDevice::read_middle(std::uint64_t offset, MutableByteSpan buffer,
                                MutableByteSpan bounce) noexcept {
  if (fits(buffer.data())) return child().read(offset, buffer);
  for (std::size_t done = 0; done < buffer.size();) {
    const std::size_t bytes = std::min(bounce.size(), buffer.size() - done);
    VOLT_TRY(read_bounced(offset + done, buffer.subspan(done, bytes), bounce));
    done += bytes;
  }
  return {};
}

Status AlignDevice::write_middle(std::uint64_t offset, ByteSpan buffer,
                                 MutableByteSpan bounce) noexcept {
  if (fits(buffer.data())) return write_whole(offset, buffer);
  for (std::size_t done = 0; done < buffer.size();) {
    const std::size_t bytes = std::min(bounce.size(), buffer.size() - done);
    std::memcpy(bounce.data(), buffer.data() + done, bytes);
    VOLT_TRY(write_whole(offset + done, bounce.first(bytes)));
    done += bytes;
  }
  return {};
}

Status AlignDevice::do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  const AlignedSplit split = split_aligned(offset, buffer.size(), block_bytes_);
  if (!split.whole_blocks() || !fits(buffer.data())) return do_write(offset, buffer);
  const RangeLock::Shared lock(range_lock_, offset, offset + buffer.size());
  return child().write_consuming(offset, buffer);
}

bool AlignDevice::do_plan(PlannedIo* io) noexcept {
  const AlignedSplit split = split_aligned(io->offset, io->memory.size(), block_bytes_);
  if (!split.whole_blocks() || !fits(io->memory.data())) return false;
  if (!io->write) return plan_child(io);
  PlannedFrame* const frame = io->push(*this);
  if (frame == nullptr) return false;
  const std::size_t slot = range_lock_.try_lock_shared(io->offset, io->offset + io->memory.size());
  if (slot == RangeLock::no_slot) return false;
  frame->kept = slot;
  if (plan_child(io)) return true;
  range_lock_.unlock_shared(slot);
  return false;
}

Status AlignDevice::do_finish(const PlannedFrame& frame, const PlannedIo& /*io*/,
                              Status outcome) noexcept {
  range_lock_.unlock_shared(frame.kept);  // writes only: reads keep no frame
  return outcome;
}

Status AlignDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  // Parts of blocks hold something of value: only whole ones are given away.
  const std::uint64_t begin = align_up(offset, block_bytes_);
  const std::uint64_t end = align_down(offset + length, block_bytes_);
  if (begin >= end) return {};
  const RangeLock::Shared lock(range_lock_, begin, end);
  return child().discard(begin, end - begin);
}

}  // namespace volt
