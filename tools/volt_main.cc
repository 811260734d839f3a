// volt: create, inspect, open and close encrypted volumes.
#include <cstdio>
#include <string>

#include "blockdev/exit_status.h"
#include "crypto/cpu_features.h"
#include "tools/commands.h"
#include "tools/report.h"

namespace volt {
namespace {

int run(int argc, char** argv) {
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
  const ParsedCommandLine parsed = parse_command_line(program, VOLT_VERSION, argc, argv);
  if (!parsed.problem.empty()) {
    return report_failure("command line", parsed.problem, parsed.exit_status);
  }
  std::fputs(parsed.output.c_str(), stdout);
  return parsed.chosen == nullptr ? parsed.exit_status : parsed.chosen->action()();
}

}  // namespace
}  // namespace volt

int main(int argc, char** argv) {
  volt::apply_cpu_environment();
  try {
    return volt::run(argc, argv);
  } catch (const std::exception& error) {
    return volt::report_failure("internal error", error.what(), volt::exit_out_of_memory);
  }
}
