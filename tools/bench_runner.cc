#include "tools/bench_runner.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tools/bench_clock.h"
#include "tools/interrupt.h"

namespace volt {
namespace {

using std::chrono::milliseconds;
constexpr std::uint64_t abandon_ns = 650'000'000;  // after a stop, for threads that do not return

struct Worker {
  EngineJob job;
  std::unique_ptr<IoEngine> engine;
  EngineOutcome outcome;
  Status prepared;
};

// Shared with the threads, which may outlive the run where their requests hang.
struct RunContext {
  explicit RunContext(unsigned threads) : workers(threads), ready(threads), go(1) {}

  EngineControl control;
  std::vector<Worker> workers;
  std::latch ready;
  std::latch go;
  std::atomic<bool> cancelled{false};
  std::mutex mutex;
  std::condition_variable changed;
  unsigned finished = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t flush_ns = 0;
  Status flush_error;
  bool done = false;
};

unsigned read_percent_of(BenchOp op) {
  if (op == BenchOp::read) return 100;
  return op == BenchOp::write ? 0 : 70;
}

void plan_workers(const RunRequest& request, RunContext& context) {
  const auto threads = static_cast<unsigned>(context.workers.size());
  const std::uint64_t block = request.workload.block_bytes;
  const EngineKind engine = request.device == nullptr ? request.engine : EngineKind::threads;
  const std::uint64_t slice = request.range_bytes / threads / block * block;
  for (unsigned i = 0; i < threads; ++i) {
    EngineJob& job = context.workers[i].job;
    job.fd = request.fd;
    job.device = request.device;
    job.order = request.workload.order;
    job.range_offset = request.range_offset + slice * i;
    job.range_bytes = slice;
    job.block_bytes = block;
    job.depth = request.workload.depth;
    job.read_percent = read_percent_of(request.op);
    job.byte_limit = request.byte_limit == 0 ? 0 : std::max(request.byte_limit / threads, block);
    job.seed = request.seed * 0x9E3779B97F4A7C15U + i;
    job.data_seed = fresh_data_seed();
    context.workers[i].engine = make_engine(engine);
  }
}

Status flush_target(const EngineJob& job) {
  if (job.device != nullptr) return job.device->flush();
  if (job.fd >= 0 && ::fdatasync(job.fd) != 0) return error_from_errno("flushing", errno);
  return {};
}

// The last thread to finish flushes inside the clock.
void finish_worker(RunContext& context) {
  {
    const std::scoped_lock lock(context.mutex);
    if (++context.finished < context.workers.size()) return;
  }
  std::uint64_t end = 0;
  std::uint64_t written = 0;
  for (const Worker& worker : context.workers) {
    end = std::max(end, worker.outcome.last_completion_ns);
    written += worker.outcome.written_bytes;
  }
  std::uint64_t flush_ns = 0;
  Status flush_error;
  const EngineJob& job = context.workers.front().job;
  const bool real = job.fd >= 0 || job.device != nullptr;
  if (written > 0 && real && !context.control.stop.load()) {
    const std::uint64_t start = now_ns();
    flush_error = flush_target(job);
    const std::uint64_t flushed = now_ns();
    flush_ns = flushed - start;
    end = flushed;
  }
  const std::scoped_lock lock(context.mutex);
  context.end_ns = end;
  context.flush_ns = flush_ns;
  context.flush_error = flush_error;
  context.done = true;
  context.changed.notify_all();
}

void work(const std::shared_ptr<RunContext>& context, unsigned index) {
  Worker& worker = context->workers[index];
  worker.prepared = worker.engine->prepare(worker.job);
  context->ready.count_down();
  context->go.wait();
  if (!context->cancelled.load()) worker.engine->run(context->control, worker.outcome);
  // The kernel may still write into its buffers.
  if (worker.outcome.abandoned) static_cast<void>(worker.engine.release());
  finish_worker(*context);
}

// Waits for the end. Returns false where threads had to be left behind.
bool watch_run(const RunRequest& request, RunContext& context, std::uint64_t start_ns,
               const RunWatcher& watch, RunResult& result) {
  std::uint64_t last_bytes = 0;
  std::uint64_t last_progress_ns = start_ns;
  std::uint64_t stop_ns = 0;
  std::unique_lock lock(context.mutex);
  while (!context.changed.wait_for(lock, milliseconds(50), [&] { return context.done; })) {
    lock.unlock();
    const std::uint64_t now = now_ns();
    const std::uint64_t bytes = context.control.done_bytes.load(std::memory_order_relaxed);
    if (bytes != last_bytes) {
      last_bytes = bytes;
      last_progress_ns = now;
    }
    if (watch) watch(bytes, now - start_ns);
    if (interrupted()) result.interrupted = true;
    if (now - last_progress_ns > request.stall_ns) result.stalled = true;
    if ((result.interrupted || result.stalled) && stop_ns == 0) {
      stop_ns = now;
      context.control.stop.store(true);
    }
    lock.lock();
    if (stop_ns != 0 && now - stop_ns > abandon_ns && !context.done) return false;
  }
  return true;
}

void collect(RunContext& context, std::uint64_t start_ns, RunResult& result) {
  for (Worker& worker : context.workers) {
    result.left_behind = result.left_behind || worker.outcome.abandoned;
    result.read_bytes += worker.outcome.read_bytes;
    result.bytes += worker.outcome.read_bytes + worker.outcome.written_bytes;
    result.requests += worker.outcome.requests;
    result.latency->merge_from(worker.outcome.latency);
    if (result.error.ok() && !worker.outcome.error.ok()) result.error = worker.outcome.error;
  }
  if (result.error.ok()) result.error = context.flush_error;
  result.elapsed_ns = context.end_ns > start_ns ? context.end_ns - start_ns : 0;
  result.flush_ns = context.flush_ns;
}

}  // namespace

double RunResult::bytes_per_second() const noexcept {
  return elapsed_ns == 0 ? 0 : static_cast<double>(bytes) * 1e9 / static_cast<double>(elapsed_ns);
}

double RunResult::requests_per_second() const noexcept {
  return elapsed_ns == 0 ? 0
                         : static_cast<double>(requests) * 1e9 / static_cast<double>(elapsed_ns);
}

RunResult run_once(const RunRequest& request, const RunWatcher& watch) {
  RunResult result;
  result.latency = std::make_shared<LatencyHistogram>();
  const unsigned threads = std::max(1U, request.workload.threads);
  auto context = std::make_shared<RunContext>(threads);
  plan_workers(request, *context);
  std::vector<std::thread> pool;
  {
    const SignalsBlocked blocked;
    for (unsigned i = 0; i < threads; ++i) {
      pool.emplace_back([context, i] { work(context, i); });
    }
  }
  context->ready.wait();
  for (const Worker& worker : context->workers) {
    if (result.error.ok() && !worker.prepared.ok()) result.error = worker.prepared;
  }
  context->cancelled.store(!result.error.ok());
  const std::uint64_t daemon_cpu = process_cpu_ns_of(request.daemon_pid);
  const std::uint64_t cpu = process_cpu_ns();
  const std::uint64_t start = now_ns();
  if (request.runtime_ns != 0) context->control.deadline_ns.store(start + request.runtime_ns);
  context->go.count_down();
  const bool whole = watch_run(request, *context, start, watch, result);
  result.cpu_ns = process_cpu_ns() - cpu;
  const std::uint64_t daemon_cpu_after = process_cpu_ns_of(request.daemon_pid);
  if (daemon_cpu_after > daemon_cpu) result.daemon_cpu_ns = daemon_cpu_after - daemon_cpu;
  if (whole) {
    for (std::thread& thread : pool) thread.join();
    collect(*context, start, result);
  } else {
    result.left_behind = true;
    // Their counters still move: what the control has counted is all that is told.
    for (std::thread& thread : pool) thread.detach();
    result.bytes = context->control.done_bytes.load();
    result.elapsed_ns = now_ns() - start;
  }
  return result;
}

std::uint64_t process_cpu_ns_of(pid_t pid) noexcept {
  if (pid <= 0) return 0;
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  DIR* tasks = ::opendir(folder.c_str());
  if (tasks == nullptr) return 0;
  std::uint64_t total = 0;
  while (const dirent* entry = ::readdir(tasks)) {
    if (entry->d_name[0] == '.') continue;
    std::ifstream file(folder + "/" + entry->d_name + "/schedstat");
    std::uint64_t running_ns = 0;
    if (file >> running_ns) total += running_ns;
  }
  ::closedir(tasks);
  return total;
}

}  // namespace volt
