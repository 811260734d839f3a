#include "daemon/served_volume.h"

namespace volt {
namespace {

constexpr std::int64_t held_after_copy_s = 10;  // longer than an unmount is tried

std::int64_t monotonic_s() noexcept {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec;
}

}  // namespace

void ServedVolume::note_write() noexcept {
  struct timespec now {};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  // Both lines of memory are shared by all threads: written only when they change.
  if (modified_at_s.load(std::memory_order_relaxed) != now.tv_sec) {
    modified_at_s.store(now.tv_sec, std::memory_order_relaxed);
  }
  if (!unflushed.load(std::memory_order_acquire)) unflushed.store(true, std::memory_order_release);
}

Status ServedVolume::flush() noexcept {
  if (facts.read_only) return {};
  // Cleared first: a write that returns meanwhile sets it again.
  flushing.fetch_add(1);
  unflushed.store(false, std::memory_order_release);
  Status status = device->flush();
  if (watch) watch->look_soon();
  if (!status) unflushed.store(true, std::memory_order_release);
  flushing.fetch_sub(1);
  return status;
}

void ServedVolume::end_copy() noexcept {
  copied_until_s.store(monotonic_s() + held_after_copy_s);
  copies.fetch_sub(1);
}

void ServedVolume::accept_writes() noexcept {
  writes_held.store(false);
  copied_until_s.store(0);
}

bool ServedVolume::holds_writes() const noexcept {
  if (writes_held.load(std::memory_order_relaxed) || copies.load() != 0) return true;
  const std::int64_t until = copied_until_s.load();
  return until != 0 && monotonic_s() < until;
}

}  // namespace volt
