// Locks on ranges of blocks: shared for whole-block writes, exclusive for read-modify-write.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace volt {

// Two ranges conflict where they overlap and one of them at least is exclusive. Nothing is
// allocated: shared holders stand in a fixed table, exclusive ones in a list through their own
// stack frames. Taking and leaving a shared range while nobody wants an exclusive one is three
// atomic operations on a cache line that the thread mostly has for itself, and no mutex.
// An exclusive range that waits holds back later shared ones that overlap it, so none starves.
//
// How the two sides meet: a sharer first publishes its range and then looks at `attention_`; an
// exclusive one first raises `attention_` and then looks at the published ranges (all sequentially
// consistent). So at least one of them sees the other, and the sharer is the one to step back.
// Thread contract: all from any thread; a thread holds at most one range of a lock at a time
// (but see try_lock_shared).
class RangeLock {
 public:
  static constexpr std::size_t slot_count = 64;

  class Shared {
   public:
    // [begin, end) in blocks, not empty. Waits for overlapping exclusive ranges.
    Shared(RangeLock& lock, std::uint64_t begin, std::uint64_t end) noexcept
        : lock_(lock), slot_(lock.lock_shared(begin, end)) {}
    ~Shared() { lock_.unlock_shared(slot_); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

   private:
    RangeLock& lock_;
    std::size_t slot_;
  };

  class Exclusive {
   public:
    Exclusive(RangeLock& lock, std::uint64_t begin, std::uint64_t end) noexcept
        : lock_(lock), begin_(begin), end_(end) {
      lock.lock_exclusive(*this);
    }
    ~Exclusive() { lock_.unlock_exclusive(*this); }
    Exclusive(const Exclusive&) = delete;
    Exclusive& operator=(const Exclusive&) = delete;

   private:
    friend class RangeLock;
    RangeLock& lock_;
    std::uint64_t begin_;
    std::uint64_t end_;
    Exclusive* next_ = nullptr;
  };

  // For a holder whose request outlives a stack frame: the slot to give back, or no_slot where the
  // range would have to be waited for. Such a holder may hold several, and must not wait for a
  // range while it does.
  static constexpr std::size_t no_slot = slot_count;
  std::size_t try_lock_shared(std::uint64_t begin, std::uint64_t end) noexcept;
  void unlock_shared(std::size_t slot) noexcept;

  RangeLock() noexcept = default;
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;

 private:
  enum SlotState : std::uint32_t { slot_free, slot_claimed, slot_active };
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> state{slot_free};
    std::atomic<std::uint64_t> begin{0};
    std::atomic<std::uint64_t> end{0};
  };

  std::size_t lock_shared(std::uint64_t begin, std::uint64_t end) noexcept;
  std::size_t lock_shared_slowly(std::uint64_t begin, std::uint64_t end) noexcept;
  void lock_exclusive(Exclusive& holder) noexcept;
  void unlock_exclusive(Exclusive& holder) noexcept;
  std::size_t claim_slot() noexcept;
  void publish(std::size_t slot, std::uint64_t begin, std::uint64_t end) noexcept;
  bool sharer_overlaps(std::uint64_t begin, std::uint64_t end) const noexcept;
  // True if an exclusive range queued before `until` (null: any) overlaps.
  bool exclusive_overlaps(std::uint64_t begin, std::uint64_t end,
                          const Exclusive* until) const noexcept;

  std::array<Slot, slot_count> slots_;
  // Exclusive ranges, held or wanted, and sharers that wait: not 0 sends everyone to the mutex.
  alignas(64) std::atomic<std::uint32_t> attention_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  Exclusive* first_ = nullptr;  // in order of arrival
};

}  // namespace volt
