// The threads that take requests from the kernel.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "crypto/result.h"
#include "daemon/fast_path.h"
#include "daemon/fuse_mount.h"
#include "daemon/served_volume.h"

namespace volt {

// Each thread reads a request into its own buffer, serves it whole and replies: no hand-over.
// Thread contract: one owner.
class WorkerPool {
 public:
  // One buffer a thread. `threads` 0: on a disk as many as its queue is deep (32), but only as many
  // as fit the memory-lock limit, at least four; where the container is `in_memory`, one a core:
  // more would take the cores from one another and nothing else (docs/performance.md).
  // Errors: no_memory.
  static Result<WorkerPool> create(unsigned threads, bool in_memory);
  WorkerPool(WorkerPool&&) = default;
  WorkerPool& operator=(WorkerPool&&) = delete;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  unsigned threads() const noexcept { return static_cast<unsigned>(buffers_.size()); }
  bool memory_locked() const noexcept;
  RequestBuffer& first_buffer() noexcept { return buffers_.front(); }

  // Starts serving; to be called once. Errors: no_memory (no threads to be had).
  Status start(ServedVolume* volume, FuseMount* mount);
  // Readable (poll) when the last thread has ended, be it because the volume was unmounted.
  int ended_fd() const noexcept;
  // Ends all threads after the requests they are serving; returns when they are gone.
  void stop() noexcept;

 private:
  struct State {
    ~State();
    std::atomic<bool> stopping{false};
    std::atomic<unsigned> running{0};
    int ended_fd = -1;
  };
  WorkerPool() = default;
  static void serve(State* state, ServedVolume* volume, FuseMount* mount, RequestBuffer* buffer);

  std::unique_ptr<State> state_;
  std::vector<RequestBuffer> buffers_;
  std::vector<std::thread> threads_;
};

}  // namespace volt
