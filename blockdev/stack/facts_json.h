// Facts as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "blockdev/formats/fact.h"

namespace volt {

// Adds each fact with a name that is told in `place` to the object `out`.
void add_facts(const std::vector<Fact>& facts, FactPlace place, nlohmann::ordered_json* out);

}  // namespace volt
