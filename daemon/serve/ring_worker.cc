#include "daemon/serve/ring_worker.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "daemon/serve/volume_io.h"

namespace volt {
namespace {

constexpr std::uint64_t watch_tag = UINT64_MAX;
constexpr std::uint64_t bell_tag = UINT64_MAX - 1;
// Requests taken before their transfers are handed to the kernel together: enough to share the cost
// of the call, few enough that the first does not wait long.
constexpr unsigned burst = 8;
// Longer ones cost processor time too, and are left for the others to share.
constexpr std::size_t burst_bytes = 262144;

}  // namespace

Result<std::unique_ptr<RingTeam>> RingTeam::create() {
  FileDescriptor bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE));
  if (!bell) return error_from_errno("cannot make an event", errno);
  return std::unique_ptr<RingTeam>(new RingTeam(std::move(bell)));
}

void RingTeam::ring() noexcept {
  if (listeners_.load() == 0) return;
  const std::uint64_t rings = listeners_.exchange(0);
  if (rings == 0) return;
  const ssize_t written = ::write(bell_.get(), &rings, sizeof rings);
  static_cast<void>(written);  // fails only past 2^64 rings
}

void RingTeam::hear() noexcept {
  std::uint64_t one = 0;
  const ssize_t got = ::read(bell_.get(), &one, sizeof one);
  static_cast<void>(got);
}

Result<std::unique_ptr<RingWorker>> RingWorker::create(std::span<RequestBuffer> buffers,
                                                       RingTeam* team) {
  auto ring = IoRing::create(static_cast<unsigned>(buffers.size()) + 2);  // both tags
  if (!ring) return ring.error();
  return std::unique_ptr<RingWorker>(new RingWorker(std::move(*ring), buffers, team));
}

RingWorker::RingWorker(std::unique_ptr<IoRing> ring, std::span<RequestBuffer> buffers,
                       RingTeam* team)
    : ring_(std::move(ring)), slots_(buffers.size()), team_(team) {
  free_.reserve(buffers.size());
  away_.reserve(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    slots_[i].buffer = &buffers[i];
    free_.push_back(i);
  }
}

void RingWorker::run(ServedVolume* volume, FrontDoor* door, Errands* errands,
                     const std::atomic<bool>& stopping) noexcept {
  volume_ = volume;
  door_ = door;
  errands_ = errands;
  while (!stopping.load(std::memory_order_relaxed)) {
    fetch_errands();
    const Taken taken = take_requests();
    if (taken == Taken::ended) break;
    const bool block = taken == Taken::all || free_.empty();
    if (taken == Taken::some) team_->ring();
    if (block && !free_.empty()) watch();
    wait(block);
  }
  finish_all();
  if (watching_) team_->leave_watch();
  team_->ring();  // the others are to see why
}

// all: there were no more. some: there may be.
RingWorker::Taken RingWorker::take_requests() noexcept {
  std::size_t bytes = 0;
  for (unsigned taken = 0; taken < burst && bytes < burst_bytes && !free_.empty(); ++taken) {
    const std::size_t slot = free_.back();
    RequestBuffer& buffer = *slots_[slot].buffer;
    std::size_t length = 0;
    const Received received = door_->receive(buffer, &length);
    if (received == Received::none_yet) return Taken::all;
    if (received == Received::ended) return Taken::ended;
    if (received == Received::request) {
      free_.pop_back();
      bytes += begin(slot, length);
    }
  }
  return Taken::some;
}

std::size_t RingWorker::begin(std::size_t index, std::size_t length) noexcept {
  Slot& slot = slots_[index];
  if (door_->parse(*slot.buffer, length, &slot.request)) {
    slot.io = PlannedIo{};
    slot.io.write = slot.request.write;
    slot.io.offset = slot.request.offset;
    slot.io.memory = slot.request.data;
    slot.progress = TransferProgress{};
    if (plan_volume_io(*volume_, &slot.io)) {
      ++in_flight_;
      // The ring has an entry for every slot.
      static_cast<void>(ring_->start(slot.io, 0, index));
      return slot.io.memory.size();
    }
  }
  begin_errand(index, length);
  return 0;
}

void RingWorker::begin_errand(std::size_t index, std::size_t length) noexcept {
  Slot& slot = slots_[index];
  // Half of the buffers stay here: a volume busy with errands still serves its reads.
  if (away_.size() < slots_.size() / 2) {
    slot.away.store(true, std::memory_order_relaxed);
    if (errands_->give({slot.buffer, length, &slot.away})) {
      away_.push_back(index);
      return;
    }
    slot.away.store(false, std::memory_order_relaxed);
  }
  // Whoever waits for a range must hold none, and transfers in flight hold theirs.
  finish_all();
  serve_request(*volume_, *door_, *slot.buffer, length);
  free_.push_back(index);
}

void RingWorker::end(std::size_t index, int result) noexcept {
  Slot& slot = slots_[index];
  if (slot.progress.go_on(slot.io, result)) {
    static_cast<void>(ring_->start(slot.io, slot.progress.done_bytes(), index));
    return;
  }
  door_->answer(slot.request, finish_volume_io(*volume_, slot.request.offset, &slot.io,
                                               slot.progress.outcome(slot.io)));
  --in_flight_;
  free_.push_back(index);
}

// Requests will wake this thread, or whoever watches already will ring for it.
void RingWorker::watch() noexcept {
  if (watching_) return;
  if (!team_->claim_watch()) {
    listen();
    // Whoever watched may have left, and rung, before it could know of this listener.
    if (!team_->claim_watch()) return;
  }
  watching_ = ring_->watch(door_->fd(), watch_tag);
  if (!watching_) team_->leave_watch();
}

void RingWorker::listen() noexcept {
  if (listening_) return;
  listening_ = ring_->watch(team_->bell(), bell_tag);
  if (listening_) team_->listen();
}

void RingWorker::wait(bool block) noexcept {
  ring_->submit(block);
  IoRing::Completion completion;
  while (ring_->next(&completion)) {
    if (completion.tag == watch_tag) {
      watching_ = false;
      team_->leave_watch();
    } else if (completion.tag == bell_tag) {
      listening_ = false;
      team_->hear();
    } else {
      end(static_cast<std::size_t>(completion.tag), completion.result);
    }
  }
}

void RingWorker::finish_all() noexcept {
  while (in_flight_ != 0) wait(/*block=*/true);
}

void RingWorker::fetch_errands() noexcept {
  for (std::size_t i = away_.size(); i-- > 0;) {
    if (slots_[away_[i]].away.load(std::memory_order_acquire)) continue;
    free_.push_back(away_[i]);
    away_[i] = away_.back();
    away_.pop_back();
  }
}

}  // namespace volt
