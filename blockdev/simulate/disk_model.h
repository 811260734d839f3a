// When a disk would have answered: mechanics, queue and caches of one drive, as pure calculation.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "blockdev/simulate/disk_profile.h"

namespace volt {

// One command. `id` is the caller's; several commands may share one.
struct DiskCommand {
  std::uint64_t id = 0;
  bool write = false;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t arrived_ns = 0;
};

// Time is the caller's: submit() and advance() say what time it is, and never go back. The same
// calls give the same answers; nothing is random. No data, only times.
//
// The head is over a track, the platter turns. A command costs electronics, a seek (none on the
// same track), the wait until its first sector comes round, and the transfer at the zone's rate;
// one that goes on where the last ended only costs its transfer. Of the first `queue_depth`
// commands the one that is reached soonest is next; of reads only each `shortest_every`-th time,
// and the oldest otherwise, so that none starves.
// Everything that passed under the head while it waited on a track is in the read cache, and so is
// what was written; reads that were waiting for it are answered with it.
// Writes are acknowledged from the write cache as long as they fit, and go to the platters when no
// read waits, or in turns with reads while the cache is full.
// Thread contract: as a std::vector's.
class DiskModel {
 public:
  static constexpr std::uint64_t never = UINT64_MAX;

  explicit DiskModel(const DiskProfile& profile) noexcept : profile_(profile) {}

  void submit(const DiskCommand& command);
  // Appends the ids that are answered by `now_ns`, in order of time.
  void advance(std::uint64_t now_ns, std::vector<std::uint64_t>* answered);
  // When something next happens by itself; `never` if nothing will.
  std::uint64_t next_event_ns() const noexcept;
  // True if the write cache holds nothing.
  bool clean() const noexcept { return dirty_.empty() && !(active_ && active_->write); }

 private:
  struct Answer {
    std::uint64_t at_ns;
    std::uint64_t id;
  };
  struct Access {
    std::uint64_t before_ns;  // until the first byte passes under the head
    std::uint64_t wait_ns;    // the part of it that the head was on the track already
  };

  Access access(const DiskCommand& command, std::uint64_t at_ns) const noexcept;
  void start_next(std::uint64_t at_ns);
  void finish_active();
  void answer_passed_reads(std::uint64_t at_ns);
  std::optional<std::size_t> choose(const std::deque<DiskCommand>& commands,
                                    std::uint64_t at_ns) const noexcept;
  void start(const DiskCommand& command, std::uint64_t at_ns);
  void admit_writes(std::uint64_t at_ns);
  void answer_from_cache(std::uint64_t id, std::uint64_t bytes, std::uint64_t at_ns);
  bool cached(std::uint64_t offset, std::uint64_t bytes) const;
  void remember(std::uint64_t begin, std::uint64_t end);
  double track_bytes(std::uint64_t offset) const noexcept;

  const DiskProfile& profile_;
  std::deque<DiskCommand> reads_;
  std::deque<DiskCommand> waiting_writes_;  // no room in the write cache yet
  std::deque<DiskCommand> dirty_;           // acknowledged, not on the platters
  std::uint64_t dirty_bytes_ = 0;
  std::optional<DiskCommand> active_;
  std::uint64_t active_until_ns_ = 0;
  std::uint64_t head_offset_ = 0;  // where the last transfer ended
  bool writes_turn_ = false;
  std::uint64_t reads_started_ = 0;
  std::uint64_t interface_free_ns_ = 0;
  std::deque<Answer> answers_;       // from the caches, in order of time
  std::list<std::uint64_t> recent_;  // blocks of the read cache, most recent first
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> blocks_;
};

}  // namespace volt
