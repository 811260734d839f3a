// volt info: what a container is, without opening it to others.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "blockdev/credentials.h"
#include "blockdev/device_stack.h"
#include "blockdev/error_text.h"
#include "blockdev/volume_unlock.h"
#include "tools/commands.h"
#include "tools/credential_options.h"
#include "tools/interrupt.h"
#include "tools/progress_line.h"
#include "tools/report.h"
#include "tools/volume_facts.h"

namespace volt {
namespace {

struct InfoOptions {
  std::string file;
  bool json = false;
  CredentialOptions credentials;
};

int info(const InfoOptions& options) {
  std::string why;
  if (!check_credential_options(options.credentials, &why).ok()) {
    return report_failure(options.file, why, exit_wrong_parameters);
  }
  // Headers are only read, so a container that is open elsewhere can be looked at too.
  ContainerOptions access;
  access.read_only = true;
  access.lock = false;
  auto container = open_container(options.file, access);
  if (!container.ok()) {
    return report_failure(options.file, error_text(container.error()),
                          exit_status_of(container.error().code));
  }
  std::vector<std::string> notices;
  const auto credentials =
      Credentials::gather(options.credentials, "Password: ", false, &why, &notices);
  for (const std::string& notice : notices) report_notice(notice);
  if (!credentials.ok()) {
    return report_failure(options.file, why, exit_status_of(credentials.error().code));
  }
  UnlockRequest request = credentials->request();
  request.cancel = &catch_interrupts();
  UnlockReport report;
  auto volume = [&] {
    ProgressLine line;
    request.progress = [&](const std::string& what, double fraction) {
      line.show(what + ": " + std::to_string(static_cast<int>(fraction * 100)) + " %");
    };
    return unlock_volume(*container->device, request, &report);
  }();
  if (!volume.ok()) {
    return report_failure(options.file, unlock_error_text(volume.error(), report),
                          exit_status_of(volume.error().code));
  }
  print_volume_facts(options.file, *volume, options.json);
  return exit_done;
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
