// Containers by their composed names (docs/reference/disk-model.md): as targets, and what lies
// below them.
#pragma once

#include <string>
#include <vector>

#include "tools/voltest/measure/target.h"

namespace volt {

// The files or disks below a container.
std::vector<std::string> stored_paths(const std::string& container);

bool is_modelled_container(const std::string& container);

// The same text for the same bytes, under whatever path and through whatever simulated disk.
std::string container_identity(const std::string& container);

// Whether the name is a composed one. Throws BenchFailure where it begins like one and is none.
bool is_composed_target(const std::string& name);

// Opens target.path as a device, under the rules of any target: for writing only where that is
// allowed to overwrite, and never beside somebody else who has it open. Throws BenchFailure.
void open_composed(BenchTarget& target, const TargetOptions& options);

}  // namespace volt
