// The options that every command of voltest that touches a target shares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blockdev/host/command_line.h"
#include "tools/voltest/measure/engine.h"
#include "tools/voltest/measure/target.h"
#include "tools/voltest/measure/workload.h"

namespace volt {

struct BenchOptions {
  TargetOptions target;
  std::uint64_t runtime_ns = 2'000'000'000;  // of one run
  unsigned loops = 5;
  std::uint64_t seed = 1;
  std::uint64_t stall_ns = 30'000'000'000;
  bool force_threads = false;  // the fallback engine
  bool drop_all_caches = false;
  bool prepared = false;  // an existing target is not filled before

  // As typed, before finish() has checked them.
  std::string size_text = "1G";
  std::string runtime_text = "2";
  std::string stall_text = "30";
  std::string engine_text = "auto";

  // Whether they were named, for commands that have defaults of their own.
  bool size_given = false;
  bool runtime_given = false;
  bool loops_given = false;
};

// Adds the options of measuring to a subcommand, and those of targets that a user names.
void add_bench_options(Command& command, BenchOptions& options);
void add_target_options(Command& command, BenchOptions& options);

// Checks and converts what was typed. Throws BenchFailure (exit status 1).
void finish_bench_options(BenchOptions& options);

// io_uring where there is one; `reason` says why it is not used.
EngineKind choose_engine(const BenchOptions& options, std::string* reason);

}  // namespace volt
