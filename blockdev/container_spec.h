// The text that names a container: a path, or something composed.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "blockdev/fault_device.h"
#include "blockdev/model_device.h"
#include "crypto/result.h"

namespace volt {

struct PathSpec {
  std::string path;
};
struct StripeSpec {
  std::uint64_t chunk_bytes = 0;
  std::vector<std::string> paths;
};
struct ModelledSpec {
  ModelSpec model;
  std::string inner;  // a container spec in its turn
};
struct FaultySpec {
  FaultPlan plan;
  std::string inner;  // as in ModelledSpec
};
using ContainerSpec = std::variant<PathSpec, StripeSpec, ModelledSpec, FaultySpec>;

// The files and disks that a container of that name lies on, in order: of a plain path itself.
// Empty where the name is wrong.
std::vector<std::string> container_paths(const std::string& name);

// The same name from any folder: its paths absolute, and resolved as far as they exist.
std::string canonical_container_name(const std::string& name);

// Whether it names something composed, or tries to: everything but a path.
bool is_composed_name(const std::string& name);

// Syntax: see open_container in device_stack.h, and beside what is told there
//   fault:KIND[@NTH[xCOUNT]][,SEED]:CONTAINER  a fault at the NTH call (docs/disk-model.md)
// Errors: invalid_argument, with what is wrong in
// Error::context.
Result<ContainerSpec> parse_container_spec(const std::string& text);

// Whether this process may open disks that only play at being one (model:, fault:). Not at first,
// so that nobody's data end up on one by mistake: a program's --testing allows it, before it starts
// threads.
void allow_simulated_disks(bool allowed = true) noexcept;
bool simulated_disks_allowed() noexcept;

}  // namespace volt
