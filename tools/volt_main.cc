// volt: create, inspect, open and close encrypted volumes.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "blockdev/exit_status.h"
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

int run(int argc, char** argv) {
  CLI::App app{"Create, open and measure TrueCrypt and VeraCrypt volumes", "volt"};
  app.set_version_flag("--version", VOLT_VERSION);
  app.require_subcommand(1);
  int exit_status = exit_done;
  register_close_command(app, &exit_status);
  register_list_command(app, &exit_status);
