// volt info: what a container is, without opening it to others.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "blockdev/exit_status.h"
#include "tools/commands.h"
#include "tools/credential_options.h"
#include "tools/volume_access.h"
#include "tools/volume_facts.h"

namespace volt {
namespace {

struct InfoOptions {
  std::string file;
  bool json = false;
  CredentialOptions credentials;
};

int info(const InfoOptions& options) {
  // Headers are only read, so a container that is open elsewhere can be looked at too.
  ContainerOptions access;
  access.read_only = true;
  access.lock = false;
  int exit_status = exit_done;
  const auto opened =
      access_volume(options.file, access, options.credentials, "Password: ", &exit_status);
  if (opened) print_volume_facts(options.file, opened->volume, options.json);
  return exit_status;
}

}  // namespace

void register_info_command(CLI::App& app, int* exit_status) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand("info", "Show what a container is");
  command->add_option("FILE", options->file, "the container")->required();
  command->add_flag("--json", options->json, "print JSON");
  add_credential_options(*command, &options->credentials);
  command->callback([options, exit_status] { *exit_status = info(*options); });
}

}  // namespace volt
