// The daemon's life from an open volume to its end.
#pragma once

#include <memory>

#include "blockdev/host/outcome.h"
#include "daemon/fuse/mount_point.h"
#include "daemon/process/launch.h"
#include "daemon/process/options.h"
#include "daemon/serve/served_volume.h"

namespace volt {

// Mounts, serves, and returns the exit status when the volume was unmounted or a signal (SIGTERM,
// SIGINT, SIGHUP) asked to end: requests in progress are finished, what was written is flushed,
// keys are wiped. Where the container does not answer any more the process ends without that, with
// a message. `folder` is given up when the volume is mounted. A failed start is a failure.
Outcome<int> serve(const Options& options, std::unique_ptr<ServedVolume> volume, MountPoint folder,
                   Launch* launch);

}  // namespace volt
