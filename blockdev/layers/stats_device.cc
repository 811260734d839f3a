#include "blockdev/layers/stats_device.h"

#include <utility>

#include "blockdev/device/clock.h"

namespace volt {

namespace {
constexpr auto relaxed = std::memory_order_relaxed;
}

const char* io_kind_name(IoKind kind) noexcept {
  switch (kind) {
    case IoKind::read:
      return "read";
    case IoKind::write:
      return "write";
    case IoKind::flush:
      return "flush";
    case IoKind::discard:
      return "discard";
  }
  return "unknown";
}

StatsDevice::StatsDevice(DevicePtr child) noexcept : ForwardingDevice(std::move(child)) {}

bool StatsDevice::last_error(Error* error) const noexcept {
  const std::uint64_t packed = last_error_.load(std::memory_order_acquire);
  if (packed == 0) return false;
  const auto code = static_cast<std::uint32_t>(packed) - 1;
  *error = Error{static_cast<ErrorCode>(code), static_cast<int>(packed >> 32),
                 last_error_context_.load(relaxed), 0};
  return true;
}

Status StatsDevice::account(IoKind kind, std::uint64_t bytes, std::uint64_t start_ns,
                            Status status) noexcept {
  IoCounters& counters = counters_[static_cast<std::size_t>(kind)];
  counters.latency.record(monotonic_ns() - start_ns);
  counters.requests.fetch_add(1, relaxed);
  if (status.ok()) {
    counters.bytes.fetch_add(bytes, relaxed);
    return status;
  }
  const Error& error = status.error();
  counters.errors.fetch_add(1, relaxed);
  if (error.code == ErrorCode::refused) refused_writes_.fetch_add(1, relaxed);
  const auto sys_errno = static_cast<std::uint32_t>(error.sys_errno);
  last_error_context_.store(error.context, relaxed);
  last_error_.store((std::uint64_t{sys_errno} << 32) | (static_cast<std::uint32_t>(error.code) + 1),
                    std::memory_order_release);
  return status;
}

Status StatsDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  const std::uint64_t start_ns = monotonic_ns();
  return account(IoKind::read, buffer.size(), start_ns, child().read(offset, buffer));
}

Status StatsDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  const std::uint64_t start_ns = monotonic_ns();
  return account(IoKind::write, buffer.size(), start_ns, child().write(offset, buffer));
}

Status StatsDevice::do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  const std::uint64_t start_ns = monotonic_ns();
  return account(IoKind::write, buffer.size(), start_ns, child().write_consuming(offset, buffer));
}

bool StatsDevice::do_plan(PlannedIo* io) noexcept {
  PlannedFrame* const frame = io->push(*this);
  if (frame == nullptr) return false;
  frame->kept = monotonic_ns();
  return plan_child(io);
}

Status StatsDevice::do_finish(const PlannedFrame& frame, const PlannedIo& io,
                              Status outcome) noexcept {
  return account(io.write ? IoKind::write : IoKind::read, io.memory.size(), frame.kept, outcome);
}

Status StatsDevice::do_flush() noexcept {
  const std::uint64_t start_ns = monotonic_ns();
  return account(IoKind::flush, 0, start_ns, child().flush());
}

Status StatsDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  const std::uint64_t start_ns = monotonic_ns();
  return account(IoKind::discard, length, start_ns, child().discard(offset, length));
}

}  // namespace volt
