#include "daemon/serve/volume_io.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include "blockdev/host/error_text.h"
#include "daemon/serve/io_errno.h"
#include "daemon/serve/log.h"

namespace volt {
namespace {

constexpr std::size_t error_kinds = static_cast<std::size_t>(ErrorCode::internal) + 1;
constexpr std::int64_t log_interval_s = 30;

// Logs the first error of a kind, then at most one in log_interval_s, and returns -errno.
int report(IoKind kind, std::uint64_t offset, const Error& error) noexcept {
  static std::array<std::atomic<std::int64_t>, io_kinds * error_kinds> last_logged_s{};
  const std::size_t slot =
      static_cast<std::size_t>(kind) * error_kinds + static_cast<std::size_t>(error.code);
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  std::int64_t last = last_logged_s[slot].load(std::memory_order_relaxed);
  const bool due = last == 0 || now.tv_sec - last >= log_interval_s;
  if (due && last_logged_s[slot].compare_exchange_strong(last, now.tv_sec + 1)) {
    try {
      log_error(std::string(io_kind_name(kind)) + " at " + std::to_string(offset) + ": " +
                error_text(error));
    } catch (...) {  // out of memory: the error still reaches the caller
    }
  }
  return -errno_of(error);
}

bool closed_to_writes(const ServedVolume& volume) noexcept {
  if (volume.holds_writes()) return true;
  return volume.facts.read_only_after_violation && volume.stats->refused_writes() != 0;
}

}  // namespace

std::int64_t read_volume(ServedVolume& volume, std::uint64_t offset, MutableByteSpan out) noexcept {
  if (offset >= volume.size()) return 0;
  const std::size_t length = std::min<std::uint64_t>(out.size(), volume.size() - offset);
  if (length == 0) return 0;
  if (const Status status = volume.device->read(offset, out.first(length)); !status) {
    return report(IoKind::read, offset, status.error());
  }
  return static_cast<std::int64_t>(length);
}

std::int64_t write_volume(ServedVolume& volume, std::uint64_t offset,
                          MutableByteSpan data) noexcept {
  if (data.empty()) return 0;
  if (offset >= volume.size()) return -ENOSPC;
  if (closed_to_writes(volume)) return -EROFS;
  const std::size_t length = std::min<std::uint64_t>(data.size(), volume.size() - offset);
  const Status status = volume.device->write_consuming(offset, data.first(length));
  volume.note_write();  // also after an error: part of the range may have been written
  if (!status) return report(IoKind::write, offset, status.error());
  return static_cast<std::int64_t>(length);
}

bool plan_volume_io(ServedVolume& volume, PlannedIo* io) noexcept {
  return !(io->write && closed_to_writes(volume)) && volume.device->plan(io);
}

std::int64_t finish_volume_io(ServedVolume& volume, std::uint64_t offset, PlannedIo* io,
                              Result<std::size_t> transferred) noexcept {
  const Status status = volume.device->finish(io, std::move(transferred));
  if (io->write) volume.note_write();
  if (!status) return report(io->write ? IoKind::write : IoKind::read, offset, status.error());
  return static_cast<std::int64_t>(io->memory.size());
}

int flush_volume(ServedVolume& volume) noexcept {
  if (const Status status = volume.flush(); !status) {
    return report(IoKind::flush, 0, status.error());
  }
  return 0;
}

int discard_volume(ServedVolume& volume, std::uint64_t offset, std::uint64_t length) noexcept {
  if (!volume.device->geometry().can_discard) return -EOPNOTSUPP;  // quietly: TRIM is a hint
  if (closed_to_writes(volume)) return -EROFS;
  if (offset >= volume.size()) return 0;
  length = std::min(length, volume.size() - offset);
  if (const Status status = volume.device->discard(offset, length); !status) {
    return report(IoKind::discard, offset, status.error());
  }
  volume.note_write();
  return 0;
}

}  // namespace volt
