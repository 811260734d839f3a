// voltest: measures what storage and encryption cost.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "blockdev/container_spec.h"
#include "blockdev/exit_status.h"
#include "blockdev/host/option_values.h"
#include "blockdev/process_signals.h"
#include "blockdev/program_end.h"
#include "crypto/cpu_features.h"
#include "tools/bench_failure.h"
#include "tools/interrupt.h"
#include "tools/supervisor.h"
#include "tools/voltest_commands.h"

namespace volt {
namespace {

// Not fmt::print, which throws where standard error cannot be written.
void report(const std::string& text) {
  std::fputs(("voltest: " + text + "\n").c_str(), stderr);
}

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
  settle_option_values(&app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    report(std::string(error.what()) + ": see voltest --help");
    return exit_wrong_parameters;
  }
  return status;
}

int run(int argc, char** argv) {
  apply_cpu_environment();
  allow_simulated_disks();  // a tester needs no leave for what is made for tests
  catch_interrupts();
  try {
    return parse_and_run(argc, argv);
  } catch (const BenchFailure& failure) {
    report(failure.what());
    return failure.status();
  }
}

}  // namespace
}  // namespace volt

int main(int argc, char** argv) {
  volt::prepare_process();
  return volt::run_supervised(
      [&] { return volt::run_to_end([&] { return volt::run(argc, argv); }, volt::report); });
}
