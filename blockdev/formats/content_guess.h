// What lies on something that no password opened: often it is no container at all.
#pragma once

#include <optional>
#include <string>

#include "blockdev/device/block_device.h"

namespace volt {

struct ContentGuess {
  std::string what;         // a sentence: what it looks like, and what to do then
  bool certain = false;     // a container looks like this only once in a great many times
  bool whole_disk = false;  // it has a partition table
};

// Looks at the beginning and the end. `path` is that of a file or disk, which libblkid looks at too
// (it is opened once more, for reading); empty where the container is composed. Nothing where it
// looks like noise, as a container does, or cannot be read.
std::optional<ContentGuess> guess_content(const std::string& path, BlockDevice& device);

}  // namespace volt
