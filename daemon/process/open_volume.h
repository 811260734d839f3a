// From the command line to an open volume.
#pragma once

#include <memory>
#include <string>

#include "blockdev/host/exit_status.h"
#include "blockdev/host/outcome.h"
#include "daemon/process/options.h"
#include "daemon/serve/served_volume.h"

namespace volt {

// Opens the container, asks for what unlocks it unless it is plain, and composes the devices.
// `mount_point` is canonical.
Outcome<std::unique_ptr<ServedVolume>> open_volume(const Options& options,
                                                   const std::string& mount_point);

}  // namespace volt
