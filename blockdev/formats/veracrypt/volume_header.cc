#include "blockdev/formats/veracrypt/volume_header.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

#include "crypto/base/crc32.h"

namespace volt {
namespace {

// Offsets in the 512 bytes, as the formats' documents count; the plain part starts at 64.
constexpr std::size_t salt_bytes = 64;
constexpr std::size_t at_magic = 64;
constexpr std::size_t at_version = 68;
constexpr std::size_t at_minimum_program = 70;
constexpr std::size_t at_keys_crc = 72;
constexpr std::size_t at_volume_creation = 76;
constexpr std::size_t at_header_creation = 84;
constexpr std::size_t at_hidden_bytes = 92;
constexpr std::size_t at_volume_bytes = 100;
constexpr std::size_t at_data_offset = 108;
constexpr std::size_t at_data_bytes = 116;
constexpr std::size_t at_flags = 124;
constexpr std::size_t at_sector_bytes = 128;
constexpr std::size_t at_header_crc = 252;
constexpr std::size_t at_keys = 256;

constexpr std::uint32_t magic_truecrypt = 0x54525545;  // "TRUE"
constexpr std::uint32_t magic_veracrypt = 0x56455241;  // "VERA"
// Headers of versions 1 to 3 come from programs before TrueCrypt 6. They have no CRC over their
// fields, so without this a damaged version number would switch that check off.
constexpr std::uint16_t first_program_with_header_crc = 0x0600;
constexpr std::uint64_t largest_size = std::numeric_limits<std::int64_t>::max();
constexpr std::uint32_t largest_sector = 4096;

template <class T>
T field(ByteSpan plain, std::size_t at) noexcept {
  return load_be<T>(plain.data() + (at - salt_bytes));
}

template <class T>
void set_field(MutableByteSpan plain, std::size_t at, T value) noexcept {
  store_be<T>(plain.data() + (at - salt_bytes), value);
}

std::uint32_t crc_between(ByteSpan plain, std::size_t begin, std::size_t end) noexcept {
  return crc32(plain.subspan(begin - salt_bytes, end - begin));
}

Error absurd(const char* what, std::uint64_t value) noexcept {
  return Error{ErrorCode::bad_header, 0, what, value};
}

VolumeHeader read_fields(ByteSpan plain) noexcept {
  VolumeHeader header;
  header.format = field<std::uint32_t>(plain, at_magic) == magic_veracrypt
                      ? VolumeFormat::veracrypt
                      : VolumeFormat::truecrypt;
  header.version = field<std::uint16_t>(plain, at_version);
  header.minimum_program_version = field<std::uint16_t>(plain, at_minimum_program);
  header.volume_creation_time = field<std::uint64_t>(plain, at_volume_creation);
  header.header_creation_time = field<std::uint64_t>(plain, at_header_creation);
  header.hidden_volume_bytes = field<std::uint64_t>(plain, at_hidden_bytes);
  header.volume_bytes = field<std::uint64_t>(plain, at_volume_bytes);
  header.data_offset_bytes = field<std::uint64_t>(plain, at_data_offset);
  header.data_bytes = field<std::uint64_t>(plain, at_data_bytes);
  header.flags = field<std::uint32_t>(plain, at_flags);
  if (header_version_has_sector_size(header.version)) {
    header.sector_bytes = field<std::uint32_t>(plain, at_sector_bytes);
  }
  return header;
}

Status check_integrity(ByteSpan plain) noexcept {
  const Error wrong{ErrorCode::bad_password_or_header, 0, "wrong password or not a volume header",
                    0};
  const auto magic = field<std::uint32_t>(plain, at_magic);
  if (magic != magic_truecrypt && magic != magic_veracrypt) return wrong;
  if (crc_between(plain, at_keys, header_bytes) != field<std::uint32_t>(plain, at_keys_crc)) {
    return wrong;
  }
  const auto version = field<std::uint16_t>(plain, at_version);
  if (!is_old_header_version(version)) {
    const auto stored = field<std::uint32_t>(plain, at_header_crc);
    if (crc_between(plain, at_magic, at_header_crc) != stored) return wrong;
  } else if (version == 0 || magic == magic_veracrypt ||
             field<std::uint16_t>(plain, at_minimum_program) >= first_program_with_header_crc) {
    return wrong;
  }
  if (!is_known_header_version(version)) {
    return Error{ErrorCode::not_supported, 0, "volume header version", version};
  }
  return {};
}

// What is absurd whatever the container.
Status check_fields(const VolumeHeader& header) noexcept {
  if (header.sector_bytes < unit_bytes || header.sector_bytes > largest_sector ||
      !std::has_single_bit(header.sector_bytes)) {
    return absurd("sector size", header.sector_bytes);
  }
  if (header.hidden_volume_bytes > largest_size || header.hidden_volume_bytes % unit_bytes != 0) {
    return absurd("hidden volume size", header.hidden_volume_bytes);
  }
  if (header.volume_bytes > largest_size) return absurd("volume size", header.volume_bytes);
  if (header.data_offset_bytes > largest_size || header.data_offset_bytes % unit_bytes != 0) {
    return absurd("data offset", header.data_offset_bytes);
  }
  if (header.data_bytes > largest_size - header.data_offset_bytes ||
      header.data_bytes % header.sector_bytes != 0) {
    return absurd("data size", header.data_bytes);
  }
  if (is_old_header_version(header.version)) return {};
  if (header.volume_bytes == 0) return absurd("volume size", 0);
  if (header.data_bytes == 0) return absurd("data size", 0);
  return {};
}

}  // namespace

Result<VolumeHeader> parse_header(ByteSpan plain, MutableByteSpan keys) noexcept {
  assert(plain.size() == header_plain_bytes && keys.size() == header_key_area_bytes);
  VOLT_TRY(check_integrity(plain));
  const VolumeHeader header = read_fields(plain);
  VOLT_TRY(check_fields(header));
  std::copy_n(plain.data() + (at_keys - salt_bytes), header_key_area_bytes, keys.data());
  return header;
}

void serialise_header(const VolumeHeader& header, ByteSpan keys, MutableByteSpan plain) noexcept {
  assert(plain.size() == header_plain_bytes && keys.size() == header_key_area_bytes);
  std::fill(plain.begin(), plain.end(), std::uint8_t{0});
  std::copy_n(keys.data(), header_key_area_bytes, plain.data() + (at_keys - salt_bytes));
  set_field(plain, at_magic,
            header.format == VolumeFormat::veracrypt ? magic_veracrypt : magic_truecrypt);
  set_field(plain, at_version, header.version);
  set_field(plain, at_minimum_program, header.minimum_program_version);
  set_field(plain, at_keys_crc, crc_between(plain, at_keys, header_bytes));
  set_field(plain, at_volume_creation, header.volume_creation_time);
  set_field(plain, at_header_creation, header.header_creation_time);
  set_field(plain, at_hidden_bytes, header.hidden_volume_bytes);
  set_field(plain, at_volume_bytes, header.volume_bytes);
  set_field(plain, at_data_offset, header.data_offset_bytes);
  set_field(plain, at_data_bytes, header.data_bytes);
  set_field(plain, at_flags, header.flags);
  if (header_version_has_sector_size(header.version)) {
    set_field(plain, at_sector_bytes, header.sector_bytes);
  }
  if (!is_old_header_version(header.version)) {
    set_field(plain, at_header_crc, crc_between(plain, at_magic, at_header_crc));
  }
}

}  // namespace volt
