// From the command line to an open volume.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "blockdev/exit_status.h"
#include "daemon/options.h"
#include "daemon/served_volume.h"

namespace volt {

// What could not be done, as the programs' one line "what: why", and how to leave.
struct Failure {
  ExitStatus status = exit_wrong_device;
  std::string what;
  std::string why;
  std::vector<std::string> hints{};  // lines to follow
};

// Opens the container, asks for what unlocks it unless it is plain, and composes the devices.
// Null on failure. `mount_point` is canonical.
std::unique_ptr<ServedVolume> open_volume(const Options& options, const std::string& mount_point,
                                          Failure* failure);

}  // namespace volt
