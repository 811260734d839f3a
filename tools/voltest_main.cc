// voltest: measures what storage and encryption cost.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <vector>

#include "blockdev/container_spec.h"
#include "blockdev/exit_status.h"
#include "crypto/cpu_features.h"
#include "tools/bench_failure.h"
#include "tools/interrupt.h"
#include "tools/supervisor.h"
#include "tools/voltest_commands.h"

namespace volt {
namespace {

int parse_and_run(int argc, char** argv) {
  CLI::App app("Measures storage, with and without encryption, and the ciphers themselves.",
               "voltest");
  app.set_version_flag("--version", "voltest " VOLT_VERSION);
  app.require_subcommand(1);
  int status = exit_done;
  const std::vector<CommandState> states = {
      add_seq_command(app, &status),     add_rand_command(app, &status),
      add_compare_command(app, &status), add_cpu_command(app, &status),
      add_verify_command(app, &status),  add_matrix_command(app, &status),
      add_kdf_command(app, &status),     add_report_command(app, &status),
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "voltest: {}: see voltest --help\n", error.what());
    return exit_wrong_parameters;
  }
  return status;
}

int run_reporting(int argc, char** argv) {
  apply_cpu_environment();
  allow_simulated_disks();  // a tester needs no leave for what is made for tests
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
