// The threads that take requests from the kernel.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "blockdev/host/file_descriptor.h"
#include "crypto/base/result.h"
#include "crypto/base/secure_buffer.h"
#include "daemon/serve/errands.h"
#include "daemon/serve/front_door.h"
#include "daemon/serve/ring_worker.h"
#include "daemon/serve/served_volume.h"
#include "daemon/serve/serving.h"

namespace volt {

// Two ways to serve, the same to whoever asks:
//   threads   each reads a request into its own buffer, serves it whole and replies: no hand-over.
//             Best where nothing waits, and all there is where a stack cannot be planned.
//   io_uring  few threads, each with many requests in flight (daemon/serve/ring_worker.h). Best
//   over a
//             disk, which is to see the queue depth that programs ask for.
// Thread contract: one owner.
class WorkerPool {
 public:
  // One buffer a request. By default as many requests at once as a disk's queue is deep (32), but
  // only as many as fit the memory-lock limit, at least four; over memory one a core: more would
  // take the cores from one another and nothing else
  // (docs/measurements/2026-11-30-through-fuse.md). Errors: no_memory; not_supported (io_uring was
  // demanded and cannot be had).
  static Result<WorkerPool> create(const Serving& serving);
  WorkerPool(WorkerPool&&) = default;
  WorkerPool& operator=(WorkerPool&&) = delete;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  unsigned at_once() const noexcept { return static_cast<unsigned>(buffers_.size()); }
  const char* engine_name() const noexcept { return rings_.empty() ? "threads" : "io_uring"; }
  bool memory_locked() const noexcept { return area_.locked(); }
  RequestBuffer& first_buffer() noexcept { return buffers_.front(); }

  // Starts serving; to be called once. Errors: no_memory (no threads to be had).
  Status start(ServedVolume* volume, FrontDoor* door);
  // Readable (poll) when the last thread has ended, be it because the front door has closed.
  int ended_fd() const noexcept;
  // Ends all threads after the requests they are serving; returns when they are gone.
  void stop() noexcept;

 private:
  struct State {
    std::atomic<bool> stopping{false};
    std::atomic<unsigned> running{0};
    FileDescriptor ended;  // an event
  };
  WorkerPool() = default;
  Status make_buffers(unsigned wanted, unsigned least);
  Status make_rings();
  Status start_threads(ServedVolume* volume, FrontDoor* door);
  static void serve(const State& state, ServedVolume* volume, FrontDoor* door,
                    RequestBuffer* buffer) noexcept;
  static void count_out(State* state) noexcept;

  std::unique_ptr<State> state_;
  SecureBuffer area_;  // of the buffers
  std::vector<RequestBuffer> buffers_;
  std::unique_ptr<RingTeam> ring_team_;
  std::vector<std::unique_ptr<RingWorker>> rings_;
  std::unique_ptr<Errands> errands_;  // with rings only
  std::vector<std::thread> threads_;
};

}  // namespace volt
