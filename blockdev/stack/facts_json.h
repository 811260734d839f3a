// Facts as JSON, and JSON from outside.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "blockdev/formats/fact.h"

namespace volt {

// Adds each fact with a name that is told in `place` to the object `out`.
void add_facts(const std::vector<Fact>& facts, FactPlace place, nlohmann::ordered_json* out);

// JSON that somebody else wrote: discarded (is_discarded()) where it is none, is longer than that,
// or goes deeper than any of ours does, since who copies or prints such a value runs out of stack.
inline constexpr std::size_t max_outside_json_bytes = std::size_t{64} << 20;
nlohmann::ordered_json parse_outside_json(std::string_view text);

}  // namespace volt
