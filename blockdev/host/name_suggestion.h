// What somebody may have meant by a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace volt {

// The name that is nearest to `typed` by letters added, left out, changed or swapped with their
// neighbour (optimal string alignment distance). Empty where none is near enough to be meant.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& names);

}  // namespace volt
