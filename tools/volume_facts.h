// What a container is, for people and as JSON: the output of `volt create` and `volt info`.
#pragma once

#include <string>

#include "blockdev/volume_unlock.h"

namespace volt {

// Prints format, cipher, PRF, sizes, offsets and header fields on standard output. No secrets.
// JSON: {"schema": "volt-info/1", "file": ..., "format": ..., "cipher": ..., ...}, see volt(1).
void print_volume_facts(const std::string& file, const UnlockedVolume& volume, bool json);

}  // namespace volt
