#include "blockdev/formats/veracrypt/volume_geometry.h"

#include <algorithm>

namespace volt {
namespace {

constexpr std::uint64_t hidden_header_offset = 65536;
constexpr std::uint64_t legacy_hidden_from_end = 1536;
constexpr std::uint64_t legacy_data_offset = 512;
constexpr std::uint64_t system_header_offset = 62 * unit_bytes;

Error absurd(const char* what, std::uint64_t value) noexcept {
  return Error{ErrorCode::bad_header, 0, what, value};
}

std::uint64_t first_unit_of(CipherMode mode, std::uint64_t data_offset) noexcept {
  switch (mode) {
    case CipherMode::xts:
      return data_offset / unit_bytes;  // from the start of the host file or drive
    case CipherMode::lrw:
      return 0;  // from the start of the data area
    case CipherMode::cbc:
      return 1;  // likewise, but the header counts as unit 0, for a hidden volume too
  }
  return 0;
}

// TrueCrypt before 6: data right behind the header; a hidden volume ends where its header starts.
Result<VolumeGeometry> legacy_geometry(const VolumeHeader& header, HeaderPlace place,
                                       CipherMode mode, std::uint64_t container_bytes) noexcept {
  VolumeGeometry geometry;
  if (place == HeaderPlace::legacy_hidden) {
    const std::uint64_t size = header.hidden_volume_bytes;
    if (size == 0) return absurd("hidden volume size", 0);
    if (container_bytes < legacy_hidden_from_end + legacy_data_offset ||
        size > container_bytes - legacy_hidden_from_end - legacy_data_offset) {
      return absurd("hidden volume size (larger than the container)", size);
    }
    geometry.data_offset_bytes = container_bytes - legacy_hidden_from_end - size;
    geometry.data_bytes = size;
  } else {
    if (container_bytes < legacy_data_offset + unit_bytes) {
      return absurd("container size (no room for data)", container_bytes);
    }
    geometry.data_offset_bytes = legacy_data_offset;
    geometry.data_bytes = (container_bytes - legacy_data_offset) / unit_bytes * unit_bytes;
    // Version 3 knows its size, so that bytes appended to the container are not part of it.
    if (header.volume_bytes > geometry.data_bytes) {
      return absurd("volume size (past the end of the container: is the file cut short?)",
                    header.volume_bytes);
    }
    if (header.volume_bytes != 0) {
      geometry.data_bytes = header.volume_bytes / unit_bytes * unit_bytes;
      if (geometry.data_bytes == 0) return absurd("volume size", header.volume_bytes);
    }
  }
  geometry.first_unit = first_unit_of(mode, geometry.data_offset_bytes);
  return geometry;
}

// The encrypted area of a drive. Its two sizes may disagree (an area that is still growing, a
// single partition, a drive whose size counts from its start), so the smallest holds.
Result<VolumeGeometry> system_geometry(const VolumeHeader& header, CipherMode mode,
                                       std::uint64_t container_bytes) noexcept {
  VolumeGeometry geometry;
  geometry.data_offset_bytes = header.data_offset_bytes;
  geometry.first_unit = first_unit_of(mode, header.data_offset_bytes);
  if (header.data_bytes == 0) return absurd("data size", 0);
  if (header.data_offset_bytes >= container_bytes) {
    return absurd("data offset (past the end of the drive image)", header.data_offset_bytes);
  }
  std::uint64_t size = std::min(header.data_bytes, container_bytes - header.data_offset_bytes);
  if (header.volume_bytes != 0) size = std::min(size, header.volume_bytes);
  geometry.data_bytes = size / unit_bytes * unit_bytes;
  if (geometry.data_bytes == 0) return absurd("volume size", header.volume_bytes);
  return geometry;
}

}  // namespace

const char* place_name(HeaderPlace place) noexcept {
  switch (place) {
    case HeaderPlace::primary:
      return "primary";
    case HeaderPlace::hidden:
      return "hidden";
    case HeaderPlace::backup:
      return "backup";
    case HeaderPlace::backup_hidden:
      return "backup hidden";
    case HeaderPlace::legacy_hidden:
      return "legacy hidden";
    case HeaderPlace::system:
      return "system";
  }
  return "unknown";
}

bool place_is_hidden(HeaderPlace place) noexcept {
  return place == HeaderPlace::hidden || place == HeaderPlace::backup_hidden ||
         place == HeaderPlace::legacy_hidden;
}

bool place_is_backup(HeaderPlace place) noexcept {
  return place == HeaderPlace::backup || place == HeaderPlace::backup_hidden;
}

Result<std::uint64_t> place_offset(HeaderPlace place, std::uint64_t container_bytes) noexcept {
  const Error too_short{ErrorCode::out_of_range, 0, "container too short for this header place",
                        container_bytes};
  // Places at the end lie behind a whole header group at the start, or are none.
  const auto from_end = [&](std::uint64_t distance,
                            std::uint64_t least) noexcept -> Result<std::uint64_t> {
    if (container_bytes < least) return too_short;
    return container_bytes - distance;
  };
  const auto from_start = [&](std::uint64_t offset) noexcept -> Result<std::uint64_t> {
    if (container_bytes < offset + header_bytes) return too_short;
    return offset;
  };
  switch (place) {
    case HeaderPlace::primary:
      return from_start(0);
    case HeaderPlace::hidden:
      return from_start(hidden_header_offset);
    case HeaderPlace::backup:
      return from_end(header_group_bytes, 2 * header_group_bytes);
    case HeaderPlace::backup_hidden:
      return from_end(header_group_bytes - hidden_header_offset, 2 * header_group_bytes);
    case HeaderPlace::legacy_hidden:
      return from_end(legacy_hidden_from_end, legacy_data_offset + legacy_hidden_from_end);
    case HeaderPlace::system:
      return from_start(system_header_offset);
  }
  return too_short;
}

Result<VolumeGeometry> volume_geometry(const VolumeHeader& header, HeaderPlace place,
                                       CipherMode mode, std::uint64_t container_bytes) noexcept {
  if (place == HeaderPlace::system) return system_geometry(header, mode, container_bytes);
  const bool old = is_old_header_version(header.version);
  if (place != HeaderPlace::primary && old != (place == HeaderPlace::legacy_hidden)) {
    return absurd("version (of another age than its place)", header.version);
  }
  if (old) {
    return legacy_geometry(header, place, mode, container_bytes);
  }
  if (header.data_offset_bytes < header_group_bytes) {
    return absurd("data offset (inside the headers)", header.data_offset_bytes);
  }
  if (header.data_offset_bytes >= container_bytes) {
    return absurd("data offset (past the end of the container)", header.data_offset_bytes);
  }
  if (header.data_bytes > container_bytes - header.data_offset_bytes) {
    return absurd("data size (past the end of the container: is the file cut short?)",
                  header.data_bytes);
  }
  if (header.volume_bytes > container_bytes) {
    return absurd("volume size (larger than the container: is the file cut short?)",
                  header.volume_bytes);
  }
  if (header.hidden_volume_bytes > header.volume_bytes) {
    return absurd("hidden volume size (larger than the volume)", header.hidden_volume_bytes);
  }
  VolumeGeometry geometry;
  geometry.data_offset_bytes = header.data_offset_bytes;
  geometry.data_bytes = header.data_bytes;
  geometry.first_unit = first_unit_of(mode, header.data_offset_bytes);
  geometry.sector_bytes = header.sector_bytes;
  return geometry;
}

Result<VolumeGeometry> system_partition_geometry(const VolumeHeader& header,
                                                 std::uint64_t partition_bytes) noexcept {
  VolumeGeometry geometry;
  geometry.first_unit = first_unit_of(CipherMode::xts, header.data_offset_bytes);
  geometry.data_bytes = std::min(header.data_bytes, partition_bytes) / unit_bytes * unit_bytes;
  if (geometry.data_bytes == 0) return absurd("data size", header.data_bytes);
  return geometry;
}

}  // namespace volt
