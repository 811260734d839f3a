#include "daemon/front_doors.h"

#include <algorithm>
#include <array>

#include "daemon/fuse_mount.h"

namespace volt {
namespace {

constexpr std::array<FrontDoorRow, 1> rows = {{
    {"fuse", open_fuse_mount},
}};

}  // namespace

std::span<const FrontDoorRow> front_doors() noexcept {
  return rows;
}

const FrontDoorRow* find_front_door(std::string_view name) noexcept {
  const auto* const found = std::find_if(rows.begin(), rows.end(),
                                         [&](const FrontDoorRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : found;
}

}  // namespace volt
