// The container of an open volume, copied out of its daemon: also where its file has no name left.
#pragma once

#include <string>

#include "crypto/base/result.h"
#include "tools/common/open_volumes.h"

namespace volt {

// Copies the container, encrypted as it is, into the new file `path`, synced, holes left out; a
// container of several files becomes one. The daemon refuses writes meanwhile and for ten seconds
// after, so that nothing is written between the copy and the end of the volume; SIGUSR2 ends that.
// Errors: busy (somebody goes on writing), io with EEXIST (nothing is overwritten), no_space,
// cancelled, io.
Status save_container(const OpenVolume& volume, const std::string& path);

}  // namespace volt
