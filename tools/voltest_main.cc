// voltest: measures what storage and encryption cost.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "blockdev/exit_status.h"
#include "crypto/cpu_features.h"
#include "tools/bench_failure.h"
#include "tools/interrupt.h"
#include "tools/supervisor.h"
#include "tools/voltest_commands.h"

namespace volt {
namespace {

int parse_and_run(int argc, char** argv) {
  Command program("voltest",
                  "Measures storage, with and without encryption, and the ciphers themselves");
  add_seq_command(program);
  add_rand_command(program);
  add_compare_command(program);
  add_cpu_command(program);
  add_kdf_command(program);
  add_verify_command(program);
  add_matrix_command(program);
  add_report_command(program);
  const ParsedCommandLine parsed = parse_command_line(program, "voltest " VOLT_VERSION, argc, argv);
  if (!parsed.problem.empty()) {
    fmt::print(stderr, "voltest: command line: {}\n", parsed.problem);
    return parsed.exit_status;
  }
  std::fputs(parsed.output.c_str(), stdout);
  return parsed.chosen == nullptr ? parsed.exit_status : parsed.chosen->action()();
}

int run_reporting(int argc, char** argv) {
  apply_cpu_environment();
  catch_interrupts();
  ::signal(SIGPIPE, SIG_IGN);
  try {
    return parse_and_run(argc, argv);
  } catch (const BenchFailure& failure) {
    fmt::print(stderr, "voltest: {}\n", failure.what());
    return failure.status();
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "voltest: out of memory\n");
    return exit_out_of_memory;
  } catch (const std::exception& error) {
    fmt::print(stderr, "voltest: {}\n", error.what());
    return exit_wrong_device;
  }
}

}  // namespace
}  // namespace volt

int main(int argc, char** argv) {
  return volt::run_supervised([&] {
    const int status = volt::run_reporting(argc, argv);
    std::fflush(nullptr);
    return status;
  });
}
