#include "blockdev/device/range_lock.h"

namespace volt {

namespace {

// Threads start their search for a slot at different places, and find their own one again.
std::size_t home_slot() noexcept {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t home = next.fetch_add(1, std::memory_order_relaxed);
  return home;
}

}  // namespace

std::size_t RangeLock::claim_slot() noexcept {
  const std::size_t home = home_slot();
  for (std::size_t i = 0; i < slot_count; ++i) {
    const std::size_t slot = (home + i) % slot_count;
    std::uint32_t expected = slot_free;
    if (slots_[slot].state.compare_exchange_strong(
            expected, slot_claimed, std::memory_order_acquire, std::memory_order_relaxed)) {
      return slot;
    }
  }
  return no_slot;
}

void RangeLock::publish(std::size_t slot, std::uint64_t begin, std::uint64_t end) noexcept {
  slots_[slot].begin.store(begin, std::memory_order_relaxed);
  slots_[slot].end.store(end, std::memory_order_relaxed);
  slots_[slot].state.store(slot_active);
}

std::size_t RangeLock::lock_shared(std::uint64_t begin, std::uint64_t end) noexcept {
  const std::size_t slot = claim_slot();
  if (slot != no_slot) {
    publish(slot, begin, end);
    if (attention_.load() == 0) return slot;
    slots_[slot].state.store(slot_free);
  }
  return lock_shared_slowly(begin, end);
}

std::size_t RangeLock::try_lock_shared(std::uint64_t begin, std::uint64_t end) noexcept {
  const std::size_t slot = claim_slot();
  if (slot == no_slot) return no_slot;
  publish(slot, begin, end);
  if (attention_.load() == 0) return slot;
  const std::scoped_lock lock(mutex_);
  // An exclusive range that was asked for meanwhile has seen this one, or stands in the list.
  if (!exclusive_overlaps(begin, end, nullptr)) return slot;
  slots_[slot].state.store(slot_free);
  changed_.notify_all();
  return no_slot;
}

std::size_t RangeLock::lock_shared_slowly(std::uint64_t begin, std::uint64_t end) noexcept {
  std::unique_lock lock(mutex_);
  // Somebody may have seen the range that was just taken back.
  changed_.notify_all();
  attention_.fetch_add(1);
  std::size_t slot = no_slot;
  while (exclusive_overlaps(begin, end, nullptr) || (slot = claim_slot()) == no_slot) {
    changed_.wait(lock);
  }
  publish(slot, begin, end);
  attention_.fetch_sub(1);
  return slot;
}

void RangeLock::unlock_shared(std::size_t slot) noexcept {
  slots_[slot].state.store(slot_free);
  if (attention_.load() == 0) return;
  const std::scoped_lock lock(mutex_);
  changed_.notify_all();
}

void RangeLock::lock_exclusive(Exclusive& holder) noexcept {
  std::unique_lock lock(mutex_);
  attention_.fetch_add(1);
  Exclusive** last = &first_;
  while (*last != nullptr) last = &(*last)->next_;
  *last = &holder;
  while (exclusive_overlaps(holder.begin_, holder.end_, &holder) ||
         sharer_overlaps(holder.begin_, holder.end_)) {
    changed_.wait(lock);
  }
}

void RangeLock::unlock_exclusive(Exclusive& holder) noexcept {
  const std::scoped_lock lock(mutex_);
  Exclusive** link = &first_;
  while (*link != &holder) link = &(*link)->next_;
  *link = holder.next_;
  attention_.fetch_sub(1);
  changed_.notify_all();
}

bool RangeLock::sharer_overlaps(std::uint64_t begin, std::uint64_t end) const noexcept {
  for (const Slot& slot : slots_) {
    if (slot.state.load() != slot_active) continue;
    if (slot.begin.load(std::memory_order_relaxed) < end &&
        begin < slot.end.load(std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

bool RangeLock::exclusive_overlaps(std::uint64_t begin, std::uint64_t end,
                                   const Exclusive* until) const noexcept {
  for (const Exclusive* other = first_; other != until; other = other->next_) {
    if (other->begin_ < end && begin < other->end_) return true;
  }
  return false;
}

}  // namespace volt
