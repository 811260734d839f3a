// Opening a container for a command: credentials, unlocking with progress, errors reported.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "blockdev/host/outcome.h"
#include "blockdev/stack/credentials.h"
#include "blockdev/stack/device_stack.h"
#include "blockdev/stack/unlocking.h"

namespace volt {

struct AccessedVolume {
  Container container;
  Credentials credentials;
  OpenedVolumePtr volume;

  std::uint64_t container_bytes() const { return container.device->size(); }
};

// How every command of `volt` talks while it opens a volume: on standard error; an interrupt ends
// what is derived.
Conversation conversation();

// Opens `file`, asks for what is missing, and unlocks. On failure the one line "volt: file: why"
// has been printed (with hints, where nothing opened it) and `*exit_status` set. What
// is left of a container cut short opens only where `container_options` or the medium make it
// read-only. `prompt` as for Credentials::gather.
std::optional<AccessedVolume> access_volume(const std::string& file,
                                            const ContainerOptions& container_options,
                                            const CredentialOptions& credential_options,
                                            const char* prompt, int* exit_status);

// The part of the volume's format that looks after its volumes; null where it has none, which is
// then reported as a failure of `command`.
const VolumeCare* care_of(const AccessedVolume& opened, const std::string& file,
                          const char* command, int* exit_status);

// A sentence where what should name a file (a header backup, the output of dump) names something
// composed, which only containers are.
std::optional<std::string> not_a_file_name(const std::string& name);

// A sentence where a file of the container was deleted while the command worked on it, so that the
// work is lost.
std::optional<std::string> container_lost(const Container& container);

// Asks on the terminal before something is destroyed. Nothing where the answer is yes, else a
// sentence why not: also where there is no terminal to ask on, which --yes is for.
std::optional<std::string> refuse_unless_confirmed(const std::string& question);

}  // namespace volt
