// A thread that serves many requests at once: the container's transfers go through io_uring.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "blockdev/backing/io_ring.h"
#include "blockdev/device/planned_io.h"
#include "blockdev/host/file_descriptor.h"
#include "daemon/serve/errands.h"
#include "daemon/serve/front_door.h"
#include "daemon/serve/served_volume.h"

namespace volt {

// What the ring workers of a mount share: one of them at a time watches for requests, so that a
// request wakes one thread; one that leaves requests behind, or the mount, rings for the others.
// The bell is a semaphore: each who listens takes one ring, so that none takes another's.
// Thread contract: create() and the end by one thread, the rest by all.
class RingTeam {
 public:
  // Errors: io, no_memory.
  static Result<std::unique_ptr<RingTeam>> create();
  RingTeam(const RingTeam&) = delete;
  RingTeam& operator=(const RingTeam&) = delete;

  bool claim_watch() noexcept { return !watched_.exchange(true); }
  void leave_watch() noexcept { watched_.store(false); }
  int bell() const noexcept { return bell_.get(); }  // readable while rings are left
  void listen() noexcept { ++listeners_; }
  void ring() noexcept;  // for all who listen
  void hear() noexcept;  // takes one ring

 private:
  explicit RingTeam(FileDescriptor bell) noexcept : bell_(std::move(bell)) {}

  std::atomic<bool> watched_{false};
  std::atomic<std::uint64_t> listeners_{0};  // not rung for yet
  FileDescriptor bell_;
};

// A thread that waits for a disk costs two changes of thread a request, several times what the
// request itself costs (docs/measurements/2026-11-30-through-fuse.md). This one takes a request,
// starts its transfer, takes the next, and replies to each as its transfer ends. It never waits for
// anything but both: requests that might have to (unaligned writes, flushes, whatever the
// front door serves itself) are given to others as errands. Thread contract: made by one thread,
// run() by another, once.
class RingWorker {
 public:
  // One buffer for each request in flight; they and the team outlive the worker. Errors: as IoRing.
  static Result<std::unique_ptr<RingWorker>> create(std::span<RequestBuffer> buffers,
                                                    RingTeam* team);

  // Serves until `stopping` is set and a signal comes, or the front door has closed; then
  // finishes the requests in flight. The descriptor of `door` must not block.
  void run(ServedVolume* volume, FrontDoor* door, Errands* errands,
           const std::atomic<bool>& stopping) noexcept;

 private:
  struct Slot {
    RequestBuffer* buffer = nullptr;
    VolumeRequest request;
    PlannedIo io;
    TransferProgress progress;
    std::atomic<bool> away{false};  // an errand
  };
  enum class Taken { all, some, ended };

  RingWorker(std::unique_ptr<IoRing> ring, std::span<RequestBuffer> buffers, RingTeam* team);
  Taken take_requests() noexcept;
  std::size_t begin(std::size_t slot, std::size_t length) noexcept;  // bytes to transfer
  void begin_errand(std::size_t slot, std::size_t length) noexcept;
  void end(std::size_t slot, int result) noexcept;
  void watch() noexcept;
  void listen() noexcept;
  void wait(bool block) noexcept;
  void finish_all() noexcept;
  void fetch_errands() noexcept;

  std::unique_ptr<IoRing> ring_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;  // slots; room for all is kept
  std::vector<std::size_t> away_;
  std::size_t in_flight_ = 0;
  RingTeam* team_;
  bool watching_ = false;   // for requests
  bool listening_ = false;  // for the bell
  ServedVolume* volume_ = nullptr;
  FrontDoor* door_ = nullptr;
  Errands* errands_ = nullptr;
};

}  // namespace volt
