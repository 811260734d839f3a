// volt info: what a container is, without opening it to others.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blockdev/credential_rows.h"
#include "blockdev/error_text.h"
#include "blockdev/exit_status.h"
#include "blockdev/host/command_line.h"
#include "blockdev/volume_care.h"
#include "tools/commands.h"
#include "tools/report.h"
#include "tools/volume_access.h"
#include "tools/volume_facts.h"

namespace volt {
namespace {

struct InfoOptions {
  std::string file;
  bool json = false;
  bool places = false;
  CredentialOptions credentials;
};

// Looking at the other place of a header costs one more derivation: unasked, where nobody notices.
bool derives_quickly(const UnlockedVolume& volume) {
  constexpr std::uint32_t most_unasked_iterations = 50000;
  return volume.kdf->prf != PrfId::argon2id &&
         kdf_parameters(*volume.kdf, volume.pim).iterations <= most_unasked_iterations;
}

int info(const InfoOptions& options) {
  // Headers are only read, so a container that is open elsewhere can be looked at too.
  ContainerOptions access;
  access.read_only = true;
  access.lock = false;
  int exit_status = exit_done;
  const auto opened =
      access_volume(options.file, access, options.credentials, "Password: ", &exit_status);
  if (!opened) return exit_status;
  VolumeDescription about{options.file, opened->volume, opened->container.device->size(),
                          options.credentials.header};
  std::optional<Result<std::vector<PlaceState>>> states;
  if (options.places || derives_quickly(opened->volume)) {
    states.emplace(check_places(*opened->container.device, opened->volume, secret_of(*opened)));
    if (!states->ok()) {
      return report_failure(options.file, error_text(states->error()),
                            exit_status_of(states->error().code));
    }
    about.places = &**states;
  }
  about.offer_places = true;
  print_volume_facts(about, options.json);
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
