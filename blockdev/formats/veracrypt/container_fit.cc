#include "blockdev/formats/veracrypt/container_fit.h"

#include <algorithm>

#include "blockdev/formats/veracrypt/volume_unlock.h"

namespace volt {
namespace {

constexpr std::uint64_t legacy_data_offset = 512;
constexpr std::uint64_t boot_loader_bytes = 63 * unit_bytes;  // where a whole drive's area begins

// Sums of sizes from a header: none may wrap round.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
  return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

bool has_backups(const VolumeHeader& header, HeaderPlace place) noexcept {
  return place != HeaderPlace::system && !is_old_header_version(header.version);
}

// The area of a whole drive may be told with the drive's size, which counts from its start.
std::uint64_t expected_drive_bytes(const VolumeHeader& header) noexcept {
  std::uint64_t size = header.data_bytes;
  if (header.volume_bytes != 0) size = std::min(size, header.volume_bytes);
  if (header.data_offset_bytes <= boot_loader_bytes) return size;
  return sum(header.data_offset_bytes, size);
}

}  // namespace

const char* fit_name(ContainerFit fit) noexcept {
  switch (fit) {
    case ContainerFit::whole:
      return "whole";
    case ContainerFit::longer:
      return "longer";
    case ContainerFit::no_backups:
      return "no backups";
    case ContainerFit::data_cut:
      return "data cut";
  }
  return "unknown";
}

std::uint64_t expected_container_bytes(const VolumeHeader& header, HeaderPlace place) noexcept {
  if (place == HeaderPlace::system) return expected_drive_bytes(header);
  if (has_backups(header, place)) {
    return sum(sum(header.data_offset_bytes, header.data_bytes), header_group_bytes);
  }
  const bool tells = place == HeaderPlace::primary && header.volume_bytes != 0;
  return tells ? sum(legacy_data_offset, header.volume_bytes) : 0;
}

ContainerFit container_fit(const UnlockedVolume& volume, std::uint64_t container_bytes) noexcept {
  const VolumeGeometry& geometry = volume.geometry;
  if (sum(geometry.data_offset_bytes, geometry.data_bytes) > container_bytes) {
    return ContainerFit::data_cut;
  }
  if (!has_backups(volume.header, volume.place)) return ContainerFit::whole;
  const std::uint64_t expected = expected_container_bytes(volume.header, volume.place);
  if (container_bytes < expected) return ContainerFit::no_backups;
  // While a volume is being encrypted in place its data area grows.
  const bool tells = !volume.hidden() && (volume.header.flags & header_flag_in_place) == 0;
  if (tells && container_bytes - expected >= end_slack_bytes) return ContainerFit::longer;
  return ContainerFit::whole;
}

std::string size_mismatch_text(std::uint64_t expected_bytes, std::uint64_t container_bytes,
                               bool at_least) {
  return std::string("it should have ") + (at_least ? "at least " : "") +
         std::to_string(expected_bytes) + " bytes and has " + std::to_string(container_bytes);
}

std::string fit_notice(const UnlockedVolume& volume, std::uint64_t container_bytes,
                       std::uint64_t readable_bytes) {
  const std::string sizes = size_mismatch_text(
      expected_container_bytes(volume.header, volume.place), container_bytes, volume.hidden());
  switch (container_fit(volume, container_bytes)) {
    case ContainerFit::no_backups:
      return "cut short: " + sizes +
             "; the data is all there, but the backup header is not "
             "(volt header backup saves the header that is left)";
    case ContainerFit::data_cut:
      return "cut short: " + sizes + "; of the volume's " +
             std::to_string(volume.geometry.data_bytes) + " bytes the first " +
             std::to_string(readable_bytes) + " can be read";
    case ContainerFit::whole:
    case ContainerFit::longer:
      break;
  }
  return {};
}

}  // namespace volt
