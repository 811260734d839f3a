#include "blockdev/formats/veracrypt/volume_header.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace volt {
namespace {

using Plain = std::array<std::uint8_t, header_plain_bytes>;
using Keys = std::array<std::uint8_t, header_key_area_bytes>;

Keys pattern_keys() {
  Keys keys{};
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint8_t>(i * 7 + 3);
  return keys;
}

VolumeHeader usual_header() {
  VolumeHeader header;
  header.volume_bytes = 36864;
  header.data_offset_bytes = 131072;
  header.data_bytes = 36864;
  return header;
}

Plain serialised(const VolumeHeader& header) {
  Plain plain{};
  serialise_header(header, pattern_keys(), plain);
  return plain;
}

ErrorCode parse_error(const Plain& plain) {
  Keys keys{};
  const auto parsed = parse_header(plain, keys);
  return parsed ? ErrorCode::internal : parsed.error().code;
}

// Bytes 64..127 and 252..255 of a header put together with Python's struct and zlib modules.
struct KnownHeader {
  const char* fields_hex;
  const char* header_crc_hex;
};

Plain known_plain(const KnownHeader& known) {
  const auto byte_at = [](const char* hex, std::size_t i) {
    return static_cast<std::uint8_t>(std::stoul(std::string(hex + 2 * i, 2), nullptr, 16));
  };
  Plain plain{};
  for (std::size_t i = 0; i < 72; ++i) plain[i] = byte_at(known.fields_hex, i);
  for (std::size_t i = 0; i < 4; ++i) plain[188 + i] = byte_at(known.header_crc_hex, i);
  const Keys keys = pattern_keys();
  std::copy(keys.begin(), keys.end(), plain.begin() + 192);
  return plain;
}

TEST(VolumeHeader, KnownVeraCryptHeader) {
  const Plain plain =
      known_plain({"564552410005010b78825239000000000000000000000000000000000000000000000000"
                   "000000000000900000000000000200000000000000009000000000000000020000000000",
                   "3ca340eb"});
  Keys keys{};
  const auto parsed = parse_header(plain, keys);
  ASSERT_TRUE(parsed.ok()) << parsed.error().context;
  EXPECT_EQ(*parsed, usual_header());
  EXPECT_EQ(keys, pattern_keys());
  EXPECT_EQ(serialised(*parsed), plain);
}

TEST(VolumeHeader, KnownTrueCryptHiddenHeader) {
  const Plain plain =
      known_plain({"545255450004060078825239000000000000000000000000000000000000000000010000"
                   "000000000001000000000001234560000000000000010000000000000000000000000000",
                   "1fecba3e"});
  Keys keys{};
  const auto parsed = parse_header(plain, keys);
  ASSERT_TRUE(parsed.ok()) << parsed.error().context;
  EXPECT_EQ(parsed->format, VolumeFormat::truecrypt);
  EXPECT_EQ(parsed->version, 4);
  EXPECT_EQ(parsed->minimum_program_version, 0x0600);
  EXPECT_EQ(parsed->hidden_volume_bytes, 65536U);
  EXPECT_EQ(parsed->data_offset_bytes, 0x123456000U);
  EXPECT_EQ(parsed->sector_bytes, 512U);
  EXPECT_EQ(serialised(*parsed), plain);
}

TEST(VolumeHeader, RandomHeadersComeBack) {
  constexpr unsigned seed = 20240611;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 500; ++i) {
    VolumeHeader header;
    header.version = static_cast<std::uint16_t>(1 + random() % 5);
    const bool old = header.version < 4;
    header.format = old || random() % 2 == 0 ? VolumeFormat::truecrypt : VolumeFormat::veracrypt;
    header.minimum_program_version = old ? 0x0500 : 0x0700;
    header.volume_creation_time = random();
    header.header_creation_time = random();
    header.hidden_volume_bytes = (random() >> 2) & ~std::uint64_t{511};
    header.volume_bytes = 1 + (random() >> 2);
    header.data_offset_bytes = (random() >> 3) & ~std::uint64_t{511};
    header.sector_bytes = header.version == 5 ? 512U << (random() % 4) : 512U;
    header.data_bytes = 4096 + ((random() >> 3) & ~std::uint64_t{4095});
    header.flags = static_cast<std::uint32_t>(random());
    Keys keys{};
    const auto parsed = parse_header(serialised(header), keys);
    ASSERT_TRUE(parsed.ok()) << parsed.error().context << " in round " << i;
    ASSERT_EQ(*parsed, header) << "in round " << i;
  }
}

TEST(VolumeHeader, EverySingleByteFlipIsRejected) {
  for (const std::uint16_t version : {std::uint16_t{4}, std::uint16_t{5}}) {
    for (const auto format : {VolumeFormat::truecrypt, VolumeFormat::veracrypt}) {
      VolumeHeader header = usual_header();
      header.version = version;
      header.format = format;
      header.minimum_program_version = format == VolumeFormat::truecrypt ? 0x0700 : 0x010B;
      const Plain good = serialised(header);
      for (std::size_t at = 0; at < good.size(); ++at) {
        for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
          Plain bad = good;
          bad[at] = static_cast<std::uint8_t>(bad[at] ^ change);
          ASSERT_EQ(parse_error(bad), ErrorCode::bad_password_or_header)
              << "version " << version << " byte " << at << " xor " << change;
        }
      }
    }
  }
}

TEST(VolumeHeader, OldVersionsHaveNoHeaderCrc) {
  VolumeHeader header = usual_header();
  header.format = VolumeFormat::truecrypt;
  header.version = 2;
  header.minimum_program_version = 0x0100;
  Plain plain = serialised(header);
  EXPECT_EQ(plain[188], 0);
  plain[100] = 1;  // a reserved byte: no CRC covers it
  Keys keys{};
  EXPECT_TRUE(parse_header(plain, keys).ok());
  plain[300] ^= 1;  // a key byte
  EXPECT_EQ(parse_error(plain), ErrorCode::bad_password_or_header);
}

TEST(VolumeHeader, NewerVersionIsNamed) {
  VolumeHeader header = usual_header();
  header.version = 6;
  Keys keys{};
  const auto parsed = parse_header(serialised(header), keys);
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().code, ErrorCode::not_supported);
  EXPECT_EQ(parsed.error().detail, 6U);
}

TEST(VolumeHeader, AbsurdFieldsAreNamed) {
  struct Case {
    const char* field;
    std::uint64_t value;
    void (*set)(VolumeHeader&, std::uint64_t);
  };
  const auto sector = [](VolumeHeader& h, std::uint64_t v) {
    h.sector_bytes = static_cast<std::uint32_t>(v);
  };
  const auto offset = [](VolumeHeader& h, std::uint64_t v) { h.data_offset_bytes = v; };
  const auto size = [](VolumeHeader& h, std::uint64_t v) { h.data_bytes = v; };
  const auto volume = [](VolumeHeader& h, std::uint64_t v) { h.volume_bytes = v; };
  const auto hidden = [](VolumeHeader& h, std::uint64_t v) { h.hidden_volume_bytes = v; };
  constexpr std::uint64_t two63 = std::uint64_t{1} << 63;
  const std::vector<Case> cases = {
      {"sector size", 0, sector},
      {"sector size", 3, sector},
      {"sector size", 256, sector},
      {"sector size", 1536, sector},
      {"sector size", 8192, sector},
      {"sector size", 0x80000000U, sector},
      {"data offset", two63, offset},
      {"data offset", 131073, offset},
      {"data offset", ~0ULL, offset},
      {"data size", 0, size},
      {"data size", two63, size},
      {"data size", two63 - 512, size},
      {"data size", 513, size},
      {"volume size", 0, volume},
      {"volume size", two63, volume},
      {"hidden volume size", two63, hidden},
      {"hidden volume size", 511, hidden},
  };
  for (const Case& c : cases) {
    VolumeHeader header = usual_header();
    c.set(header, c.value);
    Keys keys{};
    const auto parsed = parse_header(serialised(header), keys);
    ASSERT_FALSE(parsed.ok()) << c.field << " " << c.value;
    EXPECT_EQ(parsed.error().code, ErrorCode::bad_header);
    EXPECT_STREQ(parsed.error().context, c.field) << c.value;
    EXPECT_EQ(parsed.error().detail, c.value);
    EXPECT_EQ(keys, Keys{}) << "keys of a refused header were given away";
  }
}

TEST(VolumeHeader, SizesMustFitTheSector) {
  VolumeHeader header = usual_header();
  header.sector_bytes = 4096;
  header.data_bytes = 4096 * 3;
  Keys keys{};
  EXPECT_TRUE(parse_header(serialised(header), keys).ok());
  header.data_bytes += 512;
  EXPECT_EQ(parse_error(serialised(header)), ErrorCode::bad_header);
}

TEST(VolumeHeader, GarbageIsNeverAHeader) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    Plain plain{};
    for (auto& byte : plain) byte = static_cast<std::uint8_t>(random());
    if (i % 2 == 0) std::copy_n("VERA", 4, plain.begin());
    ASSERT_EQ(parse_error(plain), ErrorCode::bad_password_or_header) << "seed 7, round " << i;
  }
}

}  // namespace
}  // namespace volt
