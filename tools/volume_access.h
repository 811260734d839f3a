// Opening a container for a command: credentials, unlocking with progress, errors reported.
#pragma once

#include <optional>
#include <string>

#include "blockdev/credentials.h"
#include "blockdev/device_stack.h"
#include "blockdev/volume_unlock.h"

namespace volt {

struct AccessedVolume {
  Container container;
  Credentials credentials;
  UnlockedVolume volume;
};

// Opens `file`, asks for what is missing, and unlocks. On failure the one line "volt: file: why"
// has been printed and `*exit_status` set. `prompt` as for Credentials::gather.
std::optional<AccessedVolume> access_volume(const std::string& file,
                                            const ContainerOptions& container_options,
                                            const CredentialOptions& credential_options,
                                            const char* prompt, int* exit_status);

// Prints the question and reads a line from the terminal; true for "yes" or "y". Without a terminal
// it is false, and a notice says that --yes is needed.
bool confirm_on_terminal(const std::string& question);

}  // namespace volt
