#include "daemon/served_volume.h"

namespace volt {

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
  if (!status) unflushed.store(true, std::memory_order_release);
  flushing.fetch_sub(1);
  return status;
}

}  // namespace volt
