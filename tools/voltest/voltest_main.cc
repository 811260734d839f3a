// voltest: measures what storage and encryption cost.
#include <cstdio>
#include <string>

#include "blockdev/host/exit_status.h"
#include "blockdev/host/hardening.h"
#include "blockdev/host/printable_text.h"
#include "blockdev/host/process_signals.h"
#include "blockdev/host/program_end.h"
#include "blockdev/stack/container_spec.h"
#include "crypto/base/cpu_features.h"
#include "tools/common/interrupt.h"
#include "tools/voltest/commands/voltest_commands.h"
#include "tools/voltest/measure/failure.h"
#include "tools/voltest/measure/supervisor.h"

namespace volt {
namespace {

// Not fmt::print, which throws where standard error cannot be written.
void report(const std::string& text) {
  std::fputs(("voltest: " + printable(text) + "\n").c_str(), stderr);
}

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
    report("command line: " + parsed.problem);
    return parsed.exit_status;
  }
  std::fputs(parsed.output.c_str(), stdout);
  return parsed.chosen == nullptr ? parsed.exit_status : parsed.chosen->action()();
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
  volt::harden_process();
  return volt::run_supervised(
      [&] { return volt::run_to_end([&] { return volt::run(argc, argv); }, volt::report); });
}
