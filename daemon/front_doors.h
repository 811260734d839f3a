// Every kind of front door that this build has: one row each.
#pragma once

#include <span>
#include <string_view>

#include "daemon/front_door.h"

namespace volt {

std::span<const FrontDoorRow> front_doors() noexcept;
// The row of that name, or null.
const FrontDoorRow* find_front_door(std::string_view name) noexcept;

}  // namespace volt
