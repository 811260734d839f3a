// volt: create, inspect, open and close encrypted volumes.
#include <CLI/CLI.hpp>
#include <string>

#include "blockdev/container_spec.h"
#include "blockdev/exit_status.h"
#include "blockdev/host/option_values.h"
#include "blockdev/process_signals.h"
#include "blockdev/program_end.h"
#include "crypto/cpu_features.h"
#include "tools/commands.h"
#include "tools/report.h"

namespace volt {
namespace {

// What was wrong with the command line. Values are left out: someone may have typed a password.
int report_parse_error(const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return report_failure("command line", "an argument was not expected (see volt --help)",
                          exit_wrong_parameters);
  }
  return report_failure("command line", error.what(), exit_wrong_parameters);
}

// Every command that takes a container takes a simulated disk as well, where that is allowed.
void add_testing(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    add_testing(*command);
    for (const char* container : {"FILE", "container"}) {
      if (command->get_option_no_throw(container) == nullptr) continue;
      command->add_flag_callback(
          "--testing", [] { allow_simulated_disks(); },
          "allow simulated disks as containers: model: and fault:");
    }
  }
}

int run(int argc, char** argv) {
  CLI::App app{"Create, open and measure TrueCrypt and VeraCrypt volumes", "volt"};
  app.set_version_flag("--version", VOLT_VERSION);
  app.require_subcommand(1);
  int exit_status = exit_done;
  register_close_command(app, &exit_status);
  register_create_command(app, &exit_status);
  register_expand_command(app, &exit_status);
  register_header_command(app, &exit_status);
  register_info_command(app, &exit_status);
  register_list_command(app, &exit_status);
  register_open_command(app, &exit_status);
  register_passwd_command(app, &exit_status);
  register_transfer_commands(app, &exit_status);
  add_testing(app);
  settle_option_values(&app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(error);
  }
  return exit_status;
}

}  // namespace
}  // namespace volt

int main(int argc, char** argv) {
  volt::prepare_process();
  volt::apply_cpu_environment();
  return volt::run_to_end([&] { return volt::run(argc, argv); }, volt::report_notice);
}
