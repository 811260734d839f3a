#include "tools/voltest/measure/options.h"
#include "blockdev/host/command_line.h"

#include "tools/common/size_text.h"
#include "tools/voltest/measure/failure.h"

namespace volt {
namespace {

std::uint64_t checked(const char* option, const std::string& text,
                      Result<std::uint64_t> (*parse)(std::string_view)) {
  const auto value = parse(text);
  if (!value) {
    throw BenchFailure(option, value.error().context, exit_wrong_parameters);
  }
  if (*value == 0) {
    throw BenchFailure(option, "must be more than nothing", exit_wrong_parameters);
  }
  return *value;
}

}  // namespace

void add_bench_options(Command& command, BenchOptions& options) {
  command.add("--size", &options.size_text, "How much of the target is used, at most [1G]")
      .tells(&options.size_given);
  command.add("--runtime", &options.runtime_text, "Seconds of one run, at most [2]")
      .tells(&options.runtime_given);
  command.add("--loops", &options.loops, "Runs of each test [5]")
      .between(1, 1000)
      .tells(&options.loops_given);
  command.add("--seed", &options.seed, "Seed of offsets; data differ from run to run [1]");
  command.add("--engine", &options.engine_text, "auto, io_uring or threads [auto]")
      .among({"auto", "io_uring", "threads"});
  command.add("--buffered", &options.target.direct, "Do not ask for O_DIRECT").turns_off();
  command.add("--stall", &options.stall_text,
              "Give up when nothing completes for so many seconds [30]");
  command.add("--drop-caches", &options.drop_all_caches,
              "Empty all of the system's caches before each run (root)");
}

void add_target_options(Command& command, BenchOptions& options) {
  command.add("--read-only", &options.target.read_only, "Never open anything for writing");
  command.add("--destructive", &options.target.destructive,
              "Allow write tests to overwrite an existing volume, file or device");
  command.add("--prepared", &options.prepared,
              "The target holds data already: do not fill it first");
}

void finish_bench_options(BenchOptions& options) {
  options.target.size_bytes = checked("--size", options.size_text, parse_size);
  options.runtime_ns = checked("--runtime", options.runtime_text, parse_duration_ns);
  options.stall_ns = checked("--stall", options.stall_text, parse_duration_ns);
  options.force_threads = options.engine_text == "threads";
  if (options.target.read_only && options.target.destructive) {
    throw BenchFailure("--destructive", "contradicts --read-only", exit_wrong_parameters);
  }
}

EngineKind choose_engine(const BenchOptions& options, std::string* reason) {
  if (options.force_threads) {
    *reason = "asked for";
    return EngineKind::threads;
  }
  const Status probe = probe_io_uring();
  if (probe.ok()) return EngineKind::io_uring;
  *reason = describe_error(probe.error());
  if (options.engine_text == "io_uring") {
    throw BenchFailure("--engine io_uring", *reason, exit_wrong_parameters);
  }
  return EngineKind::threads;
}

}  // namespace volt
