// volt: create, inspect, open and close encrypted volumes.
#include <cstdio>
#include <string>

#include "blockdev/host/exit_status.h"
#include "blockdev/host/hardening.h"
#include "blockdev/host/process_signals.h"
#include "blockdev/host/program_end.h"
#include "blockdev/stack/container_spec.h"
#include "blockdev/stack/serving_options.h"
#include "crypto/base/cpu_features.h"
#include "tools/common/report.h"
#include "tools/volt/commands.h"

namespace volt {
namespace {

// Every command that takes a container takes a simulated disk as well, where that is allowed.
void add_testing_options(Command& program, bool* testing) {
  for (Command& command : program.commands()) {
    add_testing_options(command, testing);
    if (command.find("FILE") != nullptr) add_testing_option(command, testing);
  }
}

int run(int argc, char** argv) {
  bool testing = false;
  Command program("volt", "Create, open and look after TrueCrypt and VeraCrypt volumes");
  add_create_command(program);
  add_info_command(program);
  add_open_command(program);
  add_close_command(program);
  add_list_command(program);
  add_passwd_command(program);
  add_header_command(program);
  add_expand_command(program);
  add_transfer_commands(program);
  add_testing_options(program, &testing);
  const ParsedCommandLine parsed = parse_command_line(program, VOLT_VERSION, argc, argv);
  if (!parsed.problem.empty()) {
    return report_failure("command line", parsed.problem, parsed.exit_status);
  }
  std::fputs(parsed.output.c_str(), stdout);
  if (testing) allow_simulated_disks();
  return parsed.chosen == nullptr ? parsed.exit_status : parsed.chosen->action()();
}

}  // namespace
}  // namespace volt

int main(int argc, char** argv) {
  volt::prepare_process();
  volt::harden_process();
  volt::apply_cpu_environment();
  return volt::run_to_end([&] { return volt::run(argc, argv); }, volt::report_notice);
}
