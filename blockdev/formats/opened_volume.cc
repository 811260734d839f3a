#include <algorithm>

#include "blockdev/formats/format.h"

namespace volt {

std::uint64_t OpenedVolume::begin_in_container() const noexcept {
  std::uint64_t begin = UINT64_MAX;
  for (const Extent& extent : map.extents()) {
    if (extent.kind != ExtentKind::zero) begin = std::min(begin, extent.source);
  }
  return begin == UINT64_MAX ? 0 : begin;
}

std::uint64_t OpenedVolume::end_in_container() const noexcept {
  std::uint64_t end = 0;
  for (const Extent& extent : map.extents()) {
    if (extent.kind != ExtentKind::zero) end = std::max(end, extent.source + extent.length);
  }
  return end;
}

std::uint64_t OpenedVolume::bytes_there(std::uint64_t container_bytes) const noexcept {
  const std::uint64_t unit = cipher == nullptr ? 1 : cipher->data_unit_bytes();
  for (const Extent& extent : map.extents()) {
    if (extent.kind == ExtentKind::zero || extent.source + extent.length <= container_bytes) {
      continue;
    }
    const std::uint64_t there = container_bytes - std::min(container_bytes, extent.source);
    return extent.offset + there / unit * unit;
  }
  return map.size_bytes();
}

}  // namespace volt
