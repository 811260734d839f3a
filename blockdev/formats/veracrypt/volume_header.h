// The 448 encrypted bytes of a volume header, as a struct. Pure: no I/O, no keys, no ciphers.
#pragma once

#include <array>
#include <cstdint>

#include "blockdev/formats/veracrypt/kdf_table.h"
#include "crypto/base/bytes.h"
#include "crypto/base/result.h"
#include "crypto/ciphers/cipher_id.h"

namespace volt {

inline constexpr std::size_t header_bytes = 512;           // salt and encrypted part
inline constexpr std::size_t header_plain_bytes = 448;     // bytes 64..511, decrypted
inline constexpr std::size_t header_key_area_bytes = 256;  // bytes 256..511

inline constexpr std::uint16_t newest_header_version = 5;  // what new volumes get

// Versions 1 to 3, of programs before TrueCrypt 6: no CRC over the fields, data right behind the
// header, a hidden volume's header near the end, no backup headers.
constexpr bool is_old_header_version(std::uint16_t version) noexcept {
  return version < 4;
}
constexpr bool is_known_header_version(std::uint16_t version) noexcept {
  return version >= 1 && version <= newest_header_version;
}
constexpr bool header_version_has_sector_size(std::uint16_t version) noexcept {
  return version >= 5;
}

// Every field of versions 1 to 5. Offsets in the comments count from the start of the 512 bytes.
// Key material is not part of it: parse() gives it apart, serialise() takes it, as spans of
// secure memory that the caller owns.
struct VolumeHeader {
  VolumeFormat format = VolumeFormat::veracrypt;   // 64: "TRUE" or "VERA"
  std::uint16_t version = newest_header_version;   // 68
  std::uint16_t minimum_program_version = 0x010B;  // 70
  std::uint64_t volume_creation_time = 0;          // 76, versions 1-3 only, else 0
  std::uint64_t header_creation_time = 0;          // 84, versions 1-3 only, else 0
  std::uint64_t hidden_volume_bytes = 0;           // 92
  std::uint64_t volume_bytes = 0;                  // 100
  std::uint64_t data_offset_bytes = 0;             // 108
  std::uint64_t data_bytes = 0;                    // 116
  std::uint32_t flags = 0;                         // 124: bit 0 system encryption, 1 in-place
  std::uint32_t sector_bytes = 512;                // 128, version 5 on

  friend bool operator==(const VolumeHeader&, const VolumeHeader&) = default;
};

inline constexpr std::uint32_t header_flag_system = 1U << 0;
inline constexpr std::uint32_t header_flag_in_place = 1U << 1;

// Why a decrypted header is not one, in the order of the checks.
//   bad_password_or_header  magic or a CRC is wrong: not the key, or not a header
//   not_supported           version newer than this program knows
//   bad_header              CRCs good, but a field is absurd on its own (sector size, overflow);
//                           Error::context names the field, Error::detail its value
// Fields that depend on the container (offset past its end ...) are checked by volume_geometry.
// `plain` has header_plain_bytes. `keys` (header_key_area_bytes) receives the key area.
Result<VolumeHeader> parse_header(ByteSpan plain, MutableByteSpan keys) noexcept;

// The inverse. Computes both CRCs. `plain` is filled whole.
void serialise_header(const VolumeHeader& header, ByteSpan keys, MutableByteSpan plain) noexcept;

}  // namespace volt
