// Checks of the mount point before anything is asked or opened.
#pragma once

#include <string>

#include "blockdev/host/file_descriptor.h"
#include "crypto/base/result.h"

namespace volt {

struct MountPoint {
  std::string path;  // canonical
  // While it is kept, no other voltd mounts there: of two that begin at the same time both would
  // find the folder empty, and one volume would hide the other.
  FileDescriptor lock;
};

// Where a volume may be mounted: an existing, empty folder that is not a mount point already, and
// on which no other voltd is about to mount. A mount of ours whose daemon has died is taken away
// first, with a notice. On an error `*why` is a sentence. Errors: not_found; invalid_argument (not
// a folder, not empty); busy (already a mount, or about to be one); permission; io.
Result<MountPoint> prepare_mount_point(const std::string& path, std::string* why);

}  // namespace volt
