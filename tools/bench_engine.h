// What carries a thread's requests to the target.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "blockdev/block_device.h"
#include "blockdev/latency_histogram.h"
#include "crypto/result.h"
#include "tools/bench_data.h"
#include "tools/bench_workload.h"

namespace volt {

enum class EngineKind : std::uint8_t {
  io_uring,  // registered buffers, one ring a thread
  threads,   // the fallback: a thread of blocking pread/pwrite for each request in flight
};
const char* engine_name(EngineKind kind) noexcept;  // "io_uring", "threads"

// Whether this kernel lets us use io_uring; error_from_errno where it does not.
Status probe_io_uring() noexcept;

// One thread's share of a run.
struct EngineJob {
  int fd = -1;  // -1, and no device: requests that do nothing (the null target)
  std::shared_ptr<BlockDevice> device;  // carries the requests instead of `fd`; threads only
  AccessOrder order = AccessOrder::sequential;
  std::uint64_t range_offset = 0;
  std::uint64_t range_bytes = 0;
  std::uint64_t block_bytes = 0;
  unsigned depth = 1;
  unsigned read_percent = 100;
  std::uint64_t byte_limit = 0;  // stop issuing after so many bytes; 0: no limit
  std::uint64_t seed = 0;        // of the order
  std::uint64_t data_seed = 0;   // of what is written: fresh_data_seed()
};

// Shared by the threads of a run and whoever watches it.
struct EngineControl {
  std::atomic<bool> stop{false};  // no new requests; leave soon even if some are in flight
  std::atomic<std::uint64_t> deadline_ns{~std::uint64_t{0}};  // now_ns() after which none is issued
  std::atomic<std::uint64_t> done_bytes{0};
};

struct EngineOutcome {
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t requests = 0;
  std::uint64_t last_completion_ns = 0;
  bool abandoned = false;  // requests are still in flight: the engine must not be destroyed
  Status error;            // the first request that failed; detail is its offset
  LatencyHistogram latency;
};

// One per thread. prepare() does everything that costs time before the clock starts; run() issues
// requests until a limit, the deadline, an error or control.stop, then waits for those in flight
// (on stop at most half a second). Both are called in the thread that uses the engine.
class IoEngine {
 public:
  virtual ~IoEngine() = default;
  virtual Status prepare(const EngineJob& job) = 0;
  virtual void run(EngineControl& control, EngineOutcome& outcome) = 0;
};

std::unique_ptr<IoEngine> make_engine(EngineKind kind);
std::unique_ptr<IoEngine> make_uring_engine();
std::unique_ptr<IoEngine> make_thread_engine();

// The request memory of a job: depth blocks, filled with noise where it writes.
Result<AlignedBuffer> make_job_buffer(const EngineJob& job);

}  // namespace volt
