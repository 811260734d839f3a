// Where headers and data lie.
#pragma once

#include <cstdint>
#include <span>

#include "blockdev/formats/veracrypt/volume_header.h"
#include "crypto/base/result.h"
#include "crypto/ciphers/cipher_id.h"

namespace volt {

// A place where a header may stand.
enum class HeaderPlace : std::uint8_t {
  primary,        // 0
  hidden,         // 65536
  backup,         // end - 131072
  backup_hidden,  // end - 65536
  legacy_hidden,  // end - 1536 (TrueCrypt before 6)
  system,         // sector 62 of a drive
};
const char* place_name(HeaderPlace place) noexcept;  // "primary", "hidden", "backup" ...
bool place_is_hidden(HeaderPlace place) noexcept;
bool place_is_backup(HeaderPlace place) noexcept;

inline constexpr std::uint64_t header_group_bytes = 131072;  // both headers at either end

// Byte offset of a place in a container of that size; out_of_range where it does not fit.
Result<std::uint64_t> place_offset(HeaderPlace place, std::uint64_t container_bytes) noexcept;

// Where the data area of an opened volume lies.
struct VolumeGeometry {
  std::uint64_t data_offset_bytes = 0;  // in the container (or drive image)
  std::uint64_t data_bytes = 0;
  std::uint64_t first_unit = 0;      // number of the data area's first XTS data unit
  std::uint32_t sector_bytes = 512;  // what the volume presents
};

// From a parsed header. Errors: bad_header with the field named in Error::context and its value in
// Error::detail, where the header's sizes do not fit a container of `container_bytes`.
Result<VolumeGeometry> volume_geometry(const VolumeHeader& header, HeaderPlace place,
                                       CipherMode mode, std::uint64_t container_bytes) noexcept;

// The same for the image of one partition of a system-encrypted drive, whose header stands
// elsewhere: the data starts at 0, but units are numbered from the start of the drive.
Result<VolumeGeometry> system_partition_geometry(const VolumeHeader& header,
                                                 std::uint64_t partition_bytes) noexcept;

}  // namespace volt
