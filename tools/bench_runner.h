// One timed run of one workload on an open target.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "blockdev/latency_histogram.h"
#include "crypto/result.h"
#include "tools/bench_engine.h"
#include "tools/bench_workload.h"

namespace volt {

struct RunRequest {
  int fd = -1;                          // -1, and no device: the null target
  std::shared_ptr<BlockDevice> device;  // instead of `fd`; its requests are always the threads'
  Workload workload;
  BenchOp op = BenchOp::read;
  std::uint64_t range_offset = 0;
  std::uint64_t range_bytes = 0;  // at least threads * block_bytes
  EngineKind engine = EngineKind::io_uring;
  std::uint64_t runtime_ns = 0;             // 0: no limit
  std::uint64_t byte_limit = 0;             // over all threads; 0: no limit. One of both is set.
  std::uint64_t seed = 1;                   // of the order; data are never the same twice
  std::uint64_t stall_ns = 30'000'000'000;  // nothing completed for so long: give up
  pid_t daemon_pid = 0;                     // whose processor time is counted as well; 0: nobody's
};

// Bytes and nanoseconds only. The clock runs from the release of all threads to the last completion
// and, where anything was written, on to the end of fdatasync: what is still in a cache has not
// been written. Each thread has its own slice of the range.
struct RunResult {
  std::uint64_t bytes = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t requests = 0;
  std::uint64_t elapsed_ns = 0;
  std::uint64_t flush_ns = 0;  // the part of elapsed_ns that fdatasync took
  std::uint64_t cpu_ns = 0;    // of this process, kernel side included
  std::uint64_t daemon_cpu_ns = 0;
  std::shared_ptr<LatencyHistogram> latency;  // of each request, flush not included
  Status error;                               // the run ended early by this
  bool interrupted = false;
  bool stalled = false;
  bool left_behind = false;  // requests still hang in the kernel

  double bytes_per_second() const noexcept;
  double requests_per_second() const noexcept;
};

using RunWatcher = std::function<void(std::uint64_t done_bytes, std::uint64_t elapsed_ns)>;

// Blocks until the run is over; `watch` is called about ten times a second in this thread. Where
// requests hang, their threads are left behind (interrupted or stalled is set) and the target's
// descriptor must stay open.
RunResult run_once(const RunRequest& request, const RunWatcher& watch);

// Processor time of all threads of a process; 0 where it cannot be read.
std::uint64_t process_cpu_ns_of(pid_t pid) noexcept;

}  // namespace volt
