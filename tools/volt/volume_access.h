// Opening a container for a command: credentials, unlocking with progress, errors reported.
#pragma once

#include <optional>
#include <string>

#include "blockdev/formats/veracrypt/unlock_failure.h"
#include "blockdev/formats/veracrypt/volume_secret.h"
#include "blockdev/formats/veracrypt/volume_unlock.h"
#include "blockdev/stack/credentials.h"
#include "blockdev/stack/device_stack.h"
#include "tools/common/progress_line.h"

namespace volt {

struct AccessedVolume {
  Container container;
  Credentials credentials;
  UnlockedVolume volume;
};

// What `opened` was opened with; an interrupt ends what is derived from it. Points into `opened`.
VolumeSecret secret_of(const AccessedVolume& opened);

// Says on the terminal what is being derived, by `line`, which must outlive the search.
void show_progress(UnlockRequest* request, ProgressLine* line);

// Opens `file`, asks for what is missing, and unlocks. On failure the one line "volt: file: why"
// has been printed (with hints, where nothing opened it) and `*exit_status` set. What
// is left of a container cut short opens only where `container_options` or the medium make it
// read-only. `prompt` as for Credentials::gather.
std::optional<AccessedVolume> access_volume(const std::string& file,
                                            const ContainerOptions& container_options,
                                            const CredentialOptions& credential_options,
                                            const char* prompt, int* exit_status);

// Prints why a volume of `file` did not open, and the hints; returns the exit status.
int report_unlock_failure(const std::string& file, const UnlockFailure& failure);

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
