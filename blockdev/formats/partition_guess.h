// libblkid's view of a file or device: its partitions, or the file system on it.
#pragma once

#include <optional>
#include <string>

#include "blockdev/formats/content_guess.h"

namespace volt {

// Names partitions with offset and size, and on a block device with their nodes. Empty where
// libblkid knows nothing about it, or it cannot be read.
std::optional<ContentGuess> guess_by_libblkid(const std::string& path);

}  // namespace volt
