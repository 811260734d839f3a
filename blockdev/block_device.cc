#include "blockdev/block_device.h"

namespace volt {

Status BlockDevice::check(std::uint64_t offset, std::uint64_t length,
                          const void* memory) const noexcept {
  // Written so that no sum can wrap.
  if (offset > geometry_.size_bytes || length > geometry_.size_bytes - offset) {
    return Error{ErrorCode::out_of_range, 0, "request past the end of the device", offset};
  }
  if (((offset | length) & (geometry_.alignment_bytes - 1)) != 0) {
    return Error{ErrorCode::misaligned, 0, "request not aligned to the device", offset};
  }
  if ((reinterpret_cast<std::uintptr_t>(memory) & (geometry_.memory_alignment - 1)) != 0) {
    return Error{ErrorCode::misaligned, 0, "buffer not aligned for the device", offset};
  }
  return {};
}

Status BlockDevice::read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  VOLT_TRY(check(offset, buffer.size(), buffer.data()));
  if (buffer.empty()) return {};
  return do_read(offset, buffer);
}

Status BlockDevice::check_write(std::uint64_t offset, ByteSpan buffer) const noexcept {
  if (geometry_.read_only) return Error{ErrorCode::read_only, 0, "device is read-only", offset};
  return check(offset, buffer.size(), buffer.data());
}

Status BlockDevice::write(std::uint64_t offset, ByteSpan buffer) noexcept {
  VOLT_TRY(check_write(offset, buffer));
  if (buffer.empty()) return {};
  return do_write(offset, buffer);
}

Status BlockDevice::write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  VOLT_TRY(check_write(offset, buffer));
  if (buffer.empty()) return {};
  return do_write_consuming(offset, buffer);
}

Status BlockDevice::do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  return do_write(offset, buffer);
}

bool BlockDevice::plan_layer(PlannedIo* io) noexcept {
  const Status allowed = io->write ? check_write(io->offset, io->memory)
                                   : check(io->offset, io->memory.size(), io->memory.data());
  if (!allowed.ok()) return false;
  const std::uint64_t offset = io->offset;
  const std::size_t depth = io->depth;
  if (do_plan(io)) return true;
  io->offset = offset;
  io->depth = depth;
  return false;
}

bool BlockDevice::plan(PlannedIo* io) noexcept {
  if (io->memory.empty() || !plan_layer(io)) return false;
  if (!io->write) return true;
  for (std::size_t i = 0; i < io->depth; ++i) {
    io->frames[i].layer->do_commit(io->frames[i], io->memory);
  }
  return true;
}

Status BlockDevice::finish(PlannedIo* io, Result<std::size_t> transferred) noexcept {
  Status outcome;
  if (!transferred.ok()) {
    outcome = transferred.error();
  } else if (*transferred != io->memory.size()) {
    outcome = failed_transfer(io->write, 0, io->offset + *transferred);
  }
  for (; io->depth > 0; --io->depth) {
    const PlannedFrame& frame = io->frames[io->depth - 1];
    outcome = frame.layer->do_finish(frame, *io, outcome);
  }
  return outcome;
}

bool BlockDevice::do_plan(PlannedIo* /*io*/) noexcept {
  return false;
}

void BlockDevice::do_commit(const PlannedFrame& /*frame*/, MutableByteSpan /*memory*/) noexcept {}

Status BlockDevice::do_finish(const PlannedFrame& /*frame*/, const PlannedIo& /*io*/,
                              Status outcome) noexcept {
  return outcome;
}

Status BlockDevice::flush() noexcept {
  return do_flush();
}

Status BlockDevice::discard(std::uint64_t offset, std::uint64_t length) noexcept {
  if (!geometry_.can_discard) return Error{ErrorCode::not_supported, 0, "discard", offset};
  if (geometry_.read_only) return Error{ErrorCode::read_only, 0, "device is read-only", offset};
  VOLT_TRY(check(offset, length, nullptr));
  if (length == 0) return {};
  return do_discard(offset, length);
}

Status BlockDevice::do_discard(std::uint64_t offset, std::uint64_t /*length*/) noexcept {
  return Error{ErrorCode::not_supported, 0, "discard", offset};
}

}  // namespace volt
