#include "crypto/modes/legacy_cipher.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "crypto/base/crc32.h"

namespace volt {
namespace {

std::vector<std::uint8_t> from_hex(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::vector<std::uint8_t> random_area(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> bytes(256);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

std::unique_ptr<LegacyCipher> keyed(CipherMode mode, const char* name,
                                    const std::vector<std::uint8_t>& area) {
  auto cipher = LegacyCipher::create(mode, *find_cascade(name), area);
  EXPECT_TRUE(cipher.ok()) << name;
  return cipher ? std::move(*cipher) : nullptr;
}

TEST(LegacyCipher, WhichCiphersAModeHas) {
  const auto has = [](CipherMode mode, const char* name) {
    return legacy_mode_has(mode, *find_cascade(name));
  };
  EXPECT_TRUE(has(CipherMode::cbc, "aes"));
  EXPECT_TRUE(has(CipherMode::lrw, "serpent-twofish-aes"));
  EXPECT_TRUE(has(CipherMode::cbc, "aes-blowfish-serpent"));
  EXPECT_FALSE(has(CipherMode::lrw, "aes-blowfish-serpent"));
  EXPECT_TRUE(has(CipherMode::lrw, "blowfish"));
  EXPECT_TRUE(has(CipherMode::cbc, "idea"));
  EXPECT_FALSE(has(CipherMode::lrw, "idea"));
  EXPECT_FALSE(has(CipherMode::cbc, "camellia"));
  EXPECT_FALSE(has(CipherMode::xts, "aes"));
}

TEST(LegacyCipher, UnitsComeBackInAnyGrouping) {
  const auto area = random_area(11);
  for (const auto mode : {CipherMode::lrw, CipherMode::cbc}) {
    for (const CascadeSpec& spec : all_cascades()) {
      if (!legacy_mode_has(mode, spec)) continue;
      const auto cipher = keyed(mode, spec.name, area);
      ASSERT_NE(cipher, nullptr);
      const auto plain = random_area(12);
      std::vector<std::uint8_t> data(6 * unit_bytes);
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = plain[i % 256];
      const auto original = data;
      std::vector<std::uint8_t> sealed(data.size());
      cipher->encrypt_units(0xFFFFFFFFU, data.data(), sealed.data(), 6);
      EXPECT_EQ(data, original);
      for (std::size_t i = 1; i < 6; ++i) {
        const auto unit = sealed.begin() + static_cast<std::ptrdiff_t>(i * unit_bytes);
        EXPECT_FALSE(std::equal(sealed.begin(), sealed.begin() + unit_bytes, unit)) << spec.name;
      }
      for (std::size_t i = 0; i < 6; ++i) {
        cipher->decrypt_units(0xFFFFFFFFU + i, sealed.data() + i * unit_bytes,
                              sealed.data() + i * unit_bytes, 1);
      }
      EXPECT_EQ(sealed, original) << spec.name << " " << mode_name(mode);
    }
  }
}

TEST(LegacyCipher, HeadersComeBack) {
  const auto area = random_area(13);
  for (const auto mode : {CipherMode::lrw, CipherMode::cbc}) {
    for (const CascadeSpec& spec : all_cascades()) {
      if (!legacy_mode_has(mode, spec)) continue;
      const auto cipher = keyed(mode, spec.name, area);
      std::vector<std::uint8_t> header(448, 0x5A);
      const auto original = header;
      cipher->encrypt_header(header);
      EXPECT_NE(header, original);
      cipher->decrypt_header(header);
      EXPECT_EQ(header, original) << spec.name << " " << mode_name(mode);
    }
  }
}

// IEEE P1619 draft 1, LRW-32-AES: Key1, Key2, index, plaintext, ciphertext. The first block of a
// unit stands at index unit * 32 + 1, so the vector of index 1 checks the whole chain.
TEST(LegacyCipher, PublishedLrwVector) {
  auto area = std::vector<std::uint8_t>(256, 0);
  const auto key1 = from_hex("f8d476ffd646ee6c2384cb1c77d6195dfef1a9f37bbc8d21a79c21f8cb900289");
  const auto key2 = from_hex("a845348ec8c5b5f126f50e76fefd1b1e");
  const auto plain = from_hex("30313233343536373839414243444546");
  const auto expected = from_hex("bd06b8e1db98899ec498e491cf1c702b");
  std::copy(key2.begin(), key2.end(), area.begin());
  std::copy(key1.begin(), key1.end(), area.begin() + legacy_seed_bytes);
  const auto cipher = keyed(CipherMode::lrw, "aes", area);
  std::vector<std::uint8_t> unit(unit_bytes, 0);
  std::copy(plain.begin(), plain.end(), unit.begin());
  cipher->encrypt_units(0, unit.data(), unit.data(), 1);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), unit.begin()));
}

// Every tweak of a unit against a plain shift-and-add multiplication.
TEST(LegacyCipher, LrwTweaksAreIndexTimesKey) {
  struct Field {
    const char* cipher;
    std::size_t block;
    std::uint64_t polynomial;
  };
  for (const Field& field : {Field{"serpent", 16, 0x87}, Field{"blowfish", 8, 0x1B}}) {
    const auto area = random_area(14);
    const CascadeSpec& spec = *find_cascade(field.cipher);
    const auto cipher = keyed(CipherMode::lrw, field.cipher, area);
    const auto block_key =
        ByteSpan(area).subspan(legacy_seed_bytes, cipher_key_bytes(spec.encryption_order[0]));
    const auto block = BotanBlock::create(spec.encryption_order[0], block_key);
    ASSERT_TRUE(block.ok());
    constexpr std::uint64_t unit = 0x123456789ULL;
    std::vector<std::uint8_t> data(unit_bytes, 0);
    cipher->encrypt_units(unit, data.data(), data.data(), 1);
    for (std::size_t i = 0; i < unit_bytes / field.block; ++i) {
      const std::uint64_t index = unit * (unit_bytes / field.block) + 1 + i;
      std::array<std::uint8_t, 16> tweak{};
      for (int bit = 63; bit >= 0; --bit) {
        bool carry = (tweak[0] & 0x80) != 0;
        for (std::size_t b = 0; b < field.block; ++b) {
          const bool next = b + 1 < field.block && (tweak[b + 1] & 0x80) != 0;
          tweak[b] = static_cast<std::uint8_t>((tweak[b] << 1) | (next ? 1 : 0));
        }
        if (carry) tweak[field.block - 1] ^= static_cast<std::uint8_t>(field.polynomial);
        if (((index >> bit) & 1U) != 0) {
          for (std::size_t b = 0; b < field.block; ++b) tweak[b] ^= area[b];
        }
      }
      auto expected = tweak;
      block->encrypt(expected.data(), 1);
      for (std::size_t b = 0; b < field.block; ++b) expected[b] ^= tweak[b];
      ASSERT_TRUE(std::equal(expected.begin(), expected.begin() + field.block,
                             data.begin() + static_cast<std::ptrdiff_t>(i * field.block)))
          << field.cipher << " block " << i;
    }
  }
}

}  // namespace
}  // namespace volt
