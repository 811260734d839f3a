#include "blockdev/extent_map.h"

#include <algorithm>
#include <utility>

#include "crypto/cipher_id.h"

namespace volt {

namespace {

Error bad_extent(const char* what, std::uint64_t offset) noexcept {
  return {ErrorCode::invalid_argument, 0, what, offset};
}

bool wraps(std::uint64_t start, std::uint64_t length) noexcept {
  return length > UINT64_MAX - start;
}

Status check_alone(const Extent& extent) noexcept {
  if (extent.length == 0) return bad_extent("extent of no length", extent.offset);
  if (wraps(extent.offset, extent.length) || wraps(extent.source, extent.length) ||
      wraps(extent.tweak_offset, extent.length)) {
    return bad_extent("extent past the largest offset", extent.offset);
  }
  if (extent.kind == ExtentKind::zero && extent.writable) {
    return bad_extent("writable extent of zeros, which lie nowhere", extent.offset);
  }
  return {};
}

// `extents` is sorted by volume offset.
Status check_cover(const std::vector<Extent>& extents) noexcept {
  std::uint64_t end = 0;
  for (const Extent& extent : extents) {
    if (extent.offset < end) return bad_extent("extents overlap", extent.offset);
    if (extent.offset > end) return bad_extent("gap between extents", end);
    end = extent.end();
  }
  return {};
}

// What one writes, another would find changed; so only those that nobody writes may be shared.
Status check_sources(std::vector<Extent> extents) {
  std::erase_if(extents, [](const Extent& extent) { return extent.kind == ExtentKind::zero; });
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return a.source < b.source; });
  std::uint64_t end = 0;           // of all before
  std::uint64_t writable_end = 0;  // of those that may be written
  for (const Extent& extent : extents) {
    if (extent.source < (extent.writable ? end : writable_end)) {
      return bad_extent("writable part of the container in two extents", extent.offset);
    }
    end = std::max(end, extent.source + extent.length);
    if (extent.writable) writable_end = std::max(writable_end, extent.source + extent.length);
  }
  return {};
}

bool goes_on(const Extent& before, const Extent& after) noexcept {
  if (before.kind != after.kind || before.writable != after.writable) return false;
  if (before.kind == ExtentKind::zero) return true;
  if (before.source + before.length != after.source) return false;
  return before.kind == ExtentKind::plain ||
         before.tweak_offset + before.length == after.tweak_offset;
}

std::vector<Extent> joined(const std::vector<Extent>& extents) {
  std::vector<Extent> result;
  for (const Extent& extent : extents) {
    if (!result.empty() && goes_on(result.back(), extent)) {
      result.back().length += extent.length;
    } else {
      result.push_back(extent);
    }
  }
  return result;
}

}  // namespace

Result<ExtentMap> ExtentMap::create(std::vector<Extent> extents) {
  if (extents.empty()) return bad_extent("extent map without extents", 0);
  for (const Extent& extent : extents) VOLT_TRY(check_alone(extent));
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  VOLT_TRY(check_cover(extents));
  VOLT_TRY(check_sources(extents));
  return ExtentMap(joined(extents));
}

ExtentMap::ExtentMap(std::vector<Extent> extents) noexcept : extents_(std::move(extents)) {
  for (const Extent& extent : extents_) {
    has_encrypted_ = has_encrypted_ || extent.kind == ExtentKind::encrypted;
    has_writable_ = has_writable_ || extent.writable;
  }
}

const Extent& ExtentMap::find(std::uint64_t offset) const noexcept {
  const auto after =
      std::upper_bound(extents_.begin(), extents_.end(), offset,
                       [](std::uint64_t at, const Extent& extent) { return at < extent.offset; });
  return *(after - 1);  // the first extent begins at 0
}

std::uint32_t ExtentMap::alignment_bytes(std::uint32_t block_bytes,
                                         std::size_t unit_length) const noexcept {
  if (!has_encrypted_) return block_bytes;
  return std::max(block_bytes, static_cast<std::uint32_t>(unit_length));
}

Status ExtentMap::check_container(std::uint64_t container_bytes, std::uint32_t block_bytes,
                                  std::size_t unit_length) const noexcept {
  const std::uint64_t alignment =
      std::max<std::uint64_t>(alignment_bytes(block_bytes, unit_length), unit_bytes);
  for (const Extent& extent : extents_) {
    if (((extent.offset | extent.length) & (alignment - 1)) != 0) {
      return Error{ErrorCode::misaligned, 0, "extent not in whole blocks and data units",
                   extent.offset};
    }
    if (extent.kind == ExtentKind::zero) continue;
    if ((extent.source & (block_bytes - 1)) != 0) {
      return Error{ErrorCode::misaligned, 0, "extent's place in the container not aligned to it",
                   extent.offset};
    }
    if (extent.kind == ExtentKind::encrypted && (extent.tweak_offset & (unit_length - 1)) != 0) {
      return Error{ErrorCode::misaligned, 0, "extent numbered from inside a data unit",
                   extent.offset};
    }
    if (extent.source + extent.length > container_bytes) {
      return Error{ErrorCode::out_of_range, 0, "extent past the end of the container",
                   extent.offset};
    }
  }
  return {};
}

}  // namespace volt
