// Does a container have the size that its header speaks of?
#pragma once

#include <cstdint>
#include <string>

#include "blockdev/formats/veracrypt/volume_geometry.h"
#include "blockdev/formats/veracrypt/volume_header.h"

namespace volt {

struct UnlockedVolume;

// Bytes that a container must have at least for this header: up to the end of the backup headers,
// or of the data where the layout has no backups. 0: the header does not tell (TrueCrypt before 5,
// and its hidden volumes, which are found from the container's end).
std::uint64_t expected_container_bytes(const VolumeHeader& header, HeaderPlace place) noexcept;

enum class ContainerFit : std::uint8_t {
  whole,
  longer,      // bytes were appended: the backup headers no longer stand at the end
  no_backups,  // cut short within the backup headers: the data is whole
  data_cut,    // cut short within the data, or before it
};
const char* fit_name(ContainerFit fit) noexcept;  // "whole", "longer", "no backups", "data cut"

// A hidden volume's header does not tell where the container ends, so it never makes it `longer`.
ContainerFit container_fit(const UnlockedVolume& volume, std::uint64_t container_bytes) noexcept;

// Rounding to sectors may leave fewer bytes than this between the data and the backup headers.
inline constexpr std::uint64_t end_slack_bytes = 4096;

// "it should have 4194304 bytes and has 3000000"; `at_least` where the rest is not known.
std::string size_mismatch_text(std::uint64_t expected_bytes, std::uint64_t container_bytes,
                               bool at_least = false);

// What a person should know on opening, as one sentence behind the container's name; empty where
// there is nothing to say. `readable_bytes` of the volume are there.
std::string fit_notice(const UnlockedVolume& volume, std::uint64_t container_bytes,
                       std::uint64_t readable_bytes);

}  // namespace volt
