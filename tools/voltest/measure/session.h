// Tests times targets times loops, in an order that is fair, with preparation outside the clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/voltest/measure/options.h"
#include "tools/voltest/measure/runner.h"
#include "tools/voltest/measure/target.h"
#include "tools/voltest/measure/workload.h"

namespace volt {

struct TestCase {
  Workload workload;
  BenchOp op = BenchOp::read;
};

// All runs of one test on one target.
struct TestRow {
  TestCase test;
  std::size_t target = 0;  // index in Session::targets
  std::vector<RunResult>
      runs;              // runs[i] is of round i; only whole ones, save in an interrupted row
  std::string left_out;  // why it did not run, or ""
  bool partial = false;  // interrupted, stalled or failed
};

struct Session {
  std::vector<BenchTarget> targets;
  std::vector<TestRow> rows;  // for each test all targets, in their order
  EngineKind engine = EngineKind::io_uring;
  std::vector<std::string> notes;  // that hold for all targets
  bool interrupted = false;
  bool failed = false;  // some run ended by an error; its row's left_out says which
};

// read and write (or read alone) of each workload.
std::vector<TestCase> test_cases(const std::vector<Workload>& workloads,
                                 const std::vector<BenchOp>& ops);

// Largest threads * block_bytes of the tests, a multiple of 1 MiB.
std::uint64_t smallest_range(const std::vector<TestCase>& tests);

// Opens the targets, fills what will be overwritten anyway, and runs every test `loops` times:
// round by round, in each round test by test, in each test target by target, every other round in
// the opposite order of targets. Shows progress on a terminal. Throws BenchFailure where a target
// cannot be opened; what happens later ends up in the session.
Session run_session(const std::vector<std::string>& paths, const std::vector<TestCase>& tests,
                    const BenchOptions& options);

// What to say about reads at that rate (bytes a second) where memory is copied at the other: ""
// where a disk may well have delivered them.
std::string memory_rate_note(double best_read, double memory_copy);

// What to say about a disk that the system calls rotating where random 4K reads one by one take so
// long in the median, and the best read is so many bytes a second (0: not measured): "" where it
// may well turn.
std::string rotation_note(std::uint64_t random_read_ns, double best_read);

// What the program ends with: 1 where interrupted, 4 where a run failed, else 0.
int session_status(const Session& session) noexcept;

}  // namespace volt
