// volt info: what a container is, without opening it to others.
#include <memory>
#include <string>
#include <vector>

#include "blockdev/host/command_line.h"
#include "blockdev/host/exit_status.h"
#include "blockdev/stack/credential_rows.h"
#include "tools/common/report.h"
#include "tools/volt/commands.h"
#include "tools/volt/volume_access.h"
#include "tools/volt/volume_facts.h"

namespace volt {
namespace {

struct InfoOptions {
  std::string file;
  bool json = false;
  bool places = false;
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
  if (!opened) return exit_status;
  const OpenedVolume& volume = *opened->volume;
  std::vector<Fact> headers;
  if (const VolumeCare* care = volume.format->care(); care != nullptr) {
    auto looked =
        care->look_at_headers(*opened->container.device, volume, opened->credentials.key(),
                              options.places, conversation().cancel);
    if (!looked) return report_failure(Failure::of(options.file, looked.error()));
    headers = *std::move(looked);
  }
  print_volume_facts(options.file, volume, opened->container_bytes(), options.json, headers);
  return exit_done;
}

}  // namespace

void add_info_command(Command& program) {
  auto options = std::make_shared<InfoOptions>();
  Command& command = program.add_command("info", "Show what a container is");
  command.add("FILE", &options->file, "the container").needed();
  command.add("--json", &options->json, "print JSON");
  command.add("--places", &options->places, "look whether the header and its backup are both good");
  add_credential_options(command, &options->credentials);
  command.runs([options] { return info(*options); });
}

}  // namespace volt
