// Checks of the mount point before anything is asked or opened.
#pragma once

#include <string>

#include "crypto/result.h"

namespace volt {

// The canonical path of `path` where a volume may be mounted: an existing, empty folder that is not
// a mount point already. A mount of ours whose daemon has died is taken away first, with a notice.
// On an error `*why` is a sentence.
// Errors: not_found; invalid_argument (not a folder, not empty); busy (already a mount);
// permission; io.
Result<std::string> prepare_mount_point(const std::string& path, std::string* why);

}  // namespace volt
