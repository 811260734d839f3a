// What lies on something that no password opened: often it is no container at all.
#pragma once

#include <optional>
#include <string>

#include "blockdev/block_device.h"

namespace volt {

struct ContentGuess {
  std::string what;         // a sentence: what it looks like, and what to do then
  bool certain = false;     // a container looks like this only once in a great many times
  bool whole_disk = false;  // it has a partition table
};

// Looks at the beginning and the end. `container` is its name as given, see open_container: a file
// or device is looked at by libblkid too, for which it is opened once more, for reading. Empty
// where it looks like noise, as a container does, or cannot be read.
std::optional<ContentGuess> guess_content(const std::string& container, BlockDevice& device);

}  // namespace volt
