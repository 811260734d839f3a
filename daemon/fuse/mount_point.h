// Checks of the mount point before anything is asked or opened.
#pragma once

#include <string>

#include "blockdev/host/file_descriptor.h"
#include "crypto/base/result.h"

namespace volt {

struct MountPoint {
  std::string path;       // canonical
  FileDescriptor folder;  // open: what was checked is what is mounted on
  // While it is kept, no other voltd of this user mounts there: of two that begin at the same time
  // both would find the folder empty, and one volume would hide the other. A file of this user's
  // alone, since whoever may read the folder could lock that.
  FileDescriptor lock;
};

// Where a volume may be mounted: an existing, empty folder that is not a mount point already, and
// on which no other voltd is about to mount. A mount of ours whose daemon has died is taken away
// first, with a notice. On an error `*why` is a sentence. Errors: not_found; invalid_argument (not
// a folder, not empty); busy (already a mount, or about to be one); permission; io.
Result<MountPoint> prepare_mount_point(const std::string& path, std::string* why);

// Whether that folder, open as MountPoint::folder is, can still be mounted on: nothing is in it and
// nothing is mounted on it by now. Returns where it is now, which may not be where it was: whoever
// owns a folder above may have renamed it, and put another one there. Errors: as above.
Result<std::string> check_held_folder(int folder_fd, std::string* why);

}  // namespace volt
