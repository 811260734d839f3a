#include "tools/bench_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/bench_cache.h"
#include "tools/bench_clock.h"
#include "tools/bench_failure.h"
#include "tools/bench_host.h"
#include "tools/interrupt.h"
#include "tools/progress_line.h"
#include "tools/size_text.h"

namespace volt {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t least_prepare_ns = 60'000'000'000;

// Carries a session through its parts.
class SessionRunner {
 public:
  SessionRunner(Session& session, const std::vector<TestCase>& tests, const BenchOptions& options)
      : session_(session), tests_(tests), options_(options) {}

  void prepare(BenchTarget& target);
  void run_rounds();

 private:
  RunRequest request_for(const BenchTarget& target, const TestCase& test, unsigned round) const;
  void run_one(TestRow& row, unsigned round);
  void keep(TestRow& row, RunResult result);
  std::string time_left(std::uint64_t elapsed_ns) const;

  Session& session_;
  const std::vector<TestCase>& tests_;
  const BenchOptions& options_;
  ProgressLine progress_;
  std::size_t runs_left_ = 0;
};

// What is read must have been written before: holes and never-written blocks are read without the
// disk. Only files of our own, and what may be destroyed.
void SessionRunner::prepare(BenchTarget& target) {
  const bool writes = std::any_of(tests_.begin(), tests_.end(),
                                  [](const TestCase& test) { return test.op != BenchOp::read; });
  if (!target.scratch && (options_.prepared || !writes)) return;
  if (!target.writable || target.kind == TargetKind::null || interrupted()) return;
  RunRequest request;
  request.fd = target.fd.get();
  request.device = target.device;
  request.workload = make_workload(AccessOrder::sequential, mebibyte, 8, 1);
  request.op = BenchOp::write;
  request.range_bytes = (target.range_offset + target.range_bytes) / mebibyte * mebibyte;
  request.byte_limit = request.range_bytes;
  request.runtime_ns = std::max(least_prepare_ns, 10 * options_.runtime_ns);
  request.engine = session_.engine;
  request.seed = options_.seed;
  request.stall_ns = options_.stall_ns;
  const RunResult result = run_once(request, [&](std::uint64_t bytes, std::uint64_t) {
    progress_.show_bytes("writing test data to " + target.path, bytes, request.range_bytes);
  });
  if (result.left_behind) target.fd.release();
  if (result.interrupted) {
    session_.interrupted = true;
    return;
  }
  if (result.stalled) {
    throw BenchFailure(target.io_path,
                       fmt::format("stalled: no write completed for {:.0f} s",
                                   static_cast<double>(options_.stall_ns) / 1e9),
                       exit_wrong_device);
  }
  if (!result.error.ok()) throw BenchFailure(target.io_path, result.error.error());
  if (result.bytes < request.range_bytes) {
    if (result.bytes < target.range_offset + mebibyte) {
      throw BenchFailure(target.io_path,
                         fmt::format("too slow to be filled: {} at {}", format_size(result.bytes),
                                     format_rate(result.bytes_per_second())),
                         exit_wrong_device);
    }
    target.range_bytes = (result.bytes - target.range_offset) / mebibyte * mebibyte;
    target.note(
        fmt::format("slow target: writing test data ended after {:.0f} s at {}; {} are used",
                    static_cast<double>(result.elapsed_ns) / 1e9,
                    format_rate(result.bytes_per_second()), format_size(target.range_bytes)));
  }
}

RunRequest SessionRunner::request_for(const BenchTarget& target, const TestCase& test,
                                      unsigned round) const {
  RunRequest request;
  request.fd = target.fd.get();
  request.device = target.device;
  request.workload = test.workload;
  request.op = test.op;
  request.range_offset = target.range_offset;
  request.range_bytes = target.range_bytes;
  request.engine = session_.engine;
  request.runtime_ns = options_.runtime_ns;
  if (target.single_pass()) request.byte_limit = target.range_bytes;
  request.seed = options_.seed + round;
  request.stall_ns = options_.stall_ns;
  if (target.daemon) request.daemon_pid = target.daemon->pid;
  return request;
}

std::string SessionRunner::time_left(std::uint64_t elapsed_ns) const {
  const std::uint64_t whole = runs_left_ * options_.runtime_ns;
  const std::uint64_t seconds = (whole - std::min(whole, elapsed_ns)) / 1'000'000'000U;
  return seconds < 60 ? fmt::format("{} s", seconds)
                      : fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
}

void SessionRunner::keep(TestRow& row, RunResult result) {
  const bool whole = result.error.ok() && !result.interrupted && !result.stalled;
  if (whole && result.bytes > 0) {
    row.runs.push_back(std::move(result));
    return;
  }
  row.partial = true;
  if (result.interrupted) {
    session_.interrupted = true;
    if (row.runs.empty() && result.bytes > 0) row.runs.push_back(std::move(result));
    return;
  }
  session_.failed = true;
  if (result.stalled) {
    row.left_out = fmt::format("stalled: nothing completed for {:.0f} s",
                               static_cast<double>(options_.stall_ns) / 1e9);
  } else if (!result.error.ok()) {
    row.left_out = describe_error(result.error.error());
  } else {
    row.left_out = "not one request completed in time";
  }
}

void SessionRunner::run_one(TestRow& row, unsigned round) {
  BenchTarget& target = session_.targets[row.target];
  if (runs_left_ > 0) --runs_left_;
  if (!row.left_out.empty()) return;
  if (target.hung) {
    row.left_out = "not run: the target had stalled";
    return;
  }
  drop_target_caches(target);
  if (options_.drop_all_caches) {
    const Status dropped = drop_all_caches();
    if (!dropped.ok()) target.note("--drop-caches: " + describe_error(dropped.error()));
  }
  const RunRequest request = request_for(target, row.test, round);
  RunResult result = run_once(request, [&](std::uint64_t bytes, std::uint64_t elapsed_ns) {
    const double seconds = static_cast<double>(std::max<std::uint64_t>(elapsed_ns, 1)) / 1e9;
    // What may be long comes last, since a narrow terminal cuts the line.
    progress_.show(fmt::format("{} left  {} {}  round {}/{}  {}  {}", time_left(elapsed_ns),
                               row.test.workload.name, op_name(row.test.op), round + 1,
                               options_.loops, format_rate(static_cast<double>(bytes) / seconds),
                               target.path));
  });
  if (result.left_behind) {
    target.hung = true;
    target.fd.release();
  } else if (result.bytes > 0) {
    check_direct(target, result.bytes);
  }
  keep(row, std::move(result));
}

void SessionRunner::run_rounds() {
  const std::size_t targets = session_.targets.size();
  runs_left_ = session_.rows.size() * options_.loops;
  for (unsigned round = 0; round < options_.loops; ++round) {
    for (std::size_t test = 0; test < tests_.size(); ++test) {
      for (std::size_t i = 0; i < targets; ++i) {
        if (interrupted()) {
          session_.interrupted = true;
          return;
        }
        const std::size_t target = round % 2 == 0 ? i : targets - 1 - i;
        run_one(session_.rows[test * targets + target], round);
      }
    }
  }
}

void plan_rows(Session& session, const std::vector<TestCase>& tests) {
  for (const TestCase& test : tests) {
    for (std::size_t i = 0; i < session.targets.size(); ++i) {
      TestRow row;
      row.test = test;
      row.target = i;
      const BenchTarget& target = session.targets[i];
      const std::uint64_t needed = test.workload.block_bytes * test.workload.threads;
      if (test.op != BenchOp::read && !target.writable) {
        row.left_out = "left out: needs --destructive, which overwrites " + target.io_path;
      } else if (target.range_bytes < needed) {
        row.left_out = "left out: the target is smaller than one block for each thread";
      }
      session.rows.push_back(std::move(row));
    }
  }
}

double best_read_rate(const Session& session, std::size_t target) {
  double best = 0;
  for (const TestRow& row : session.rows) {
    if (row.target != target || row.test.op != BenchOp::read) continue;
    for (const RunResult& run : row.runs) best = std::max(best, run.bytes_per_second());
  }
  return best;
}

// Median latency of the shortest random reads one at a time; 0 where there were none.
std::uint64_t lone_random_read_ns(const Session& session, std::size_t target) {
  for (const TestRow& row : session.rows) {
    const Workload& workload = row.test.workload;
    if (row.target != target || row.test.op != BenchOp::read || row.runs.empty()) continue;
    if (workload.order != AccessOrder::random || workload.depth * workload.threads != 1) continue;
    return row.runs.front().latency->percentile_ns(0.5);
  }
  return 0;
}

// O_DIRECT keeps this system's page cache out, but not the caches below it.
void note_memory_rates(Session& session) {
  double memory_rate = 0;
  for (std::size_t i = 0; i < session.targets.size(); ++i) {
    BenchTarget& target = session.targets[i];
    const double best = best_read_rate(session, i);
    if (target.kind == TargetKind::null || target.in_memory() || best <= 0) continue;
    const StorageFacts& facts = target.daemon ? target.backing : target.storage;
    if (facts.rotational == 1) {
      const std::string turning = rotation_note(lone_random_read_ns(session, i), best);
      if (!turning.empty()) target.note(turning);
    }
    if (memory_rate <= 0) memory_rate = measured_rates().memory_copy;
    const std::string text = memory_rate_note(best, memory_rate);
    if (!text.empty()) target.note(text);
  }
}

// Closing the last descriptor frees a file's blocks, which takes some disks many seconds. After an
// interruption that is left to the end of this process, which nobody waits for.
void leave_scratch_files(Session& session) {
  for (BenchTarget& target : session.targets) {
    if (target.scratch) target.fd.release();
  }
}

// Targets that are compared must be measured over the same number of bytes: a disk is slower
// towards its end, and a smaller range means shorter ways.
void equalise_ranges(Session& session) {
  std::uint64_t least = ~std::uint64_t{0};
  for (const BenchTarget& target : session.targets) least = std::min(least, target.range_bytes);
  for (BenchTarget& target : session.targets) {
    if (target.kind != TargetKind::null) target.range_bytes = least;
  }
}

}  // namespace

std::vector<TestCase> test_cases(const std::vector<Workload>& workloads,
                                 const std::vector<BenchOp>& ops) {
  std::vector<TestCase> tests;
  for (const Workload& workload : workloads) {
    for (const BenchOp op : ops) tests.push_back({workload, op});
  }
  return tests;
}

std::uint64_t smallest_range(const std::vector<TestCase>& tests) {
  std::uint64_t bytes = mebibyte;
  for (const TestCase& test : tests) {
    bytes = std::max(bytes, test.workload.block_bytes * test.workload.threads);
  }
  return (bytes + mebibyte - 1) / mebibyte * mebibyte;
}

Session run_session(const std::vector<std::string>& paths, const std::vector<TestCase>& tests,
                    const BenchOptions& options) {
  Session session;
  std::string reason;
  session.engine = choose_engine(options, &reason);
  if (session.engine == EngineKind::threads) {
    session.notes.push_back(
        "fallback engine: a pool of threads with pread and pwrite, not io_uring"
        " (" +
        reason + ")");
  }
  TargetOptions target_options = options.target;
  target_options.min_bytes = smallest_range(tests);
  if (target_options.size_bytes < target_options.min_bytes) {
    throw BenchFailure(
        "--size",
        fmt::format("{} is less than the {} that these tests need",
                    format_size(target_options.size_bytes), format_size(target_options.min_bytes)),
        exit_wrong_parameters);
  }
  for (const std::string& path : paths) {
    // Compared with itself, a target is open twice: not beside somebody else.
    target_options.lock = std::none_of(session.targets.begin(), session.targets.end(),
                                       [&](const BenchTarget& open) { return open.path == path; });
    session.targets.push_back(open_target(path, target_options));
  }
  if (std::all_of(session.targets.begin(), session.targets.end(),
                  [](const BenchTarget& target) { return target.device != nullptr; })) {
    session.engine = EngineKind::threads;
  }
  equalise_ranges(session);
  SessionRunner runner(session, tests, options);
  for (BenchTarget& target : session.targets) runner.prepare(target);
  equalise_ranges(session);
  plan_rows(session, tests);
  runner.run_rounds();
  if (session.interrupted) leave_scratch_files(session);
  note_memory_rates(session);
  return session;
}

std::string memory_rate_note(double best_read, double memory_copy) {
  constexpr double suspicious = 0.5;
  if (memory_copy <= 0 || best_read < suspicious * memory_copy) return "";
  return fmt::format(
      "read at {}, and this machine copies memory at {}: a cache below answers (of the disk, a"
      " controller or a hypervisor), not the medium",
      format_rate(best_read), format_rate(memory_copy));
}

std::string rotation_note(std::uint64_t random_read_ns, double best_read) {
  constexpr std::uint64_t fastest_ns = 1'000'000;  // no arm moves and no platter turns in that time
  constexpr double fastest_read = 2e9;             // several disks side by side
  const bool too_soon = random_read_ns != 0 && random_read_ns < fastest_ns;
  if (!too_soon && best_read < fastest_read) return "";
  const std::string seen = too_soon
                               ? fmt::format("random reads take {}", format_latency(random_read_ns))
                               : fmt::format("reads come at {}", format_rate(best_read));
  return "the system calls this disk rotating, but " + seen +
         ": a virtual disk, or a cache below answers";
}

int session_status(const Session& session) noexcept {
  if (session.interrupted) return exit_status_of(ErrorCode::cancelled);
  return session.failed ? exit_wrong_device : exit_done;
}

}  // namespace volt
