// What a container is, for people and as JSON: the output of `volt create`, `volt info` and others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blockdev/formats/format.h"

namespace volt {

// Prints what the volume's format tells, and what else is known of it (`more`), on standard output.
// No secrets. JSON: {"schema": "volt-info/1", "file": ..., "format": ..., ...}, see volt(1).
void print_volume_facts(const std::string& file, const OpenedVolume& volume,
                        std::uint64_t container_bytes, bool json,
                        const std::vector<Fact>& more = {});

}  // namespace volt
