// What a container is, for people and as JSON: the output of `volt create` and `volt info`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blockdev/formats/veracrypt/volume_care.h"
#include "blockdev/formats/veracrypt/volume_unlock.h"

namespace volt {

// What is told about a volume. Borrows what it points to.
struct VolumeDescription {
  const std::string& file;
  const UnlockedVolume& volume;
  std::uint64_t container_bytes = 0;
  std::string header_file{};                        // detached header; empty: the container's own
  const std::vector<PlaceState>* places = nullptr;  // null: not looked at
  bool offer_places = false;                        // say how to look at them
};

// Prints format, cipher, PRF, sizes, offsets, header fields and places on standard output. No
// secrets. JSON: {"schema": "volt-info/1", "file": ..., "format": ..., ...}, see volt(1).
void print_volume_facts(const VolumeDescription& about, bool json);

}  // namespace volt
