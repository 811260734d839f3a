#include "crypto/kdf/keyfile_pool.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "blockdev/formats/veracrypt/kdf_table.h"

namespace volt {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes random_bytes_of(std::mt19937_64& rng, std::size_t size) {
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(rng());
  return bytes;
}

// The guide's algorithm once more, bit by bit.
Bytes plain_pool(const std::vector<Bytes>& files, std::size_t pool_bytes) {
  Bytes pool(pool_bytes);
  for (const Bytes& file : files) {
    std::uint32_t crc = 0xFFFFFFFF;
    std::size_t at = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(file.size(), 1048576); ++i) {
      crc ^= file[i];
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
      for (const unsigned shift : {24, 16, 8, 0}) {
        pool[at] = static_cast<std::uint8_t>(pool[at] + (crc >> shift));
        at = (at + 1) % pool_bytes;
      }
    }
  }
  return pool;
}

void add_file(KeyfilePool& pool, const Bytes& file) {
  pool.add_bytes(file);
  pool.end_file();
}

Bytes applied(const KeyfilePool& pool, VolumeFormat format, const Bytes& password) {
  const auto result = pool.apply(longest_password(format), password);
  EXPECT_TRUE(result.ok());
  const ByteSpan bytes = result.value().span();
  return {bytes.begin(), bytes.end()};
}

TEST(KeyfilePool, AgreesWithTheGuidesAlgorithm) {
  std::mt19937_64 rng(1);
  for (const std::size_t size : {1, 15, 16, 17, 31, 32, 33, 1000, 1048575, 1048576, 1048577}) {
    const Bytes file = random_bytes_of(rng, size);
    auto pool = KeyfilePool::create();
    ASSERT_TRUE(pool.ok());
    add_file(*pool, file);
    const Bytes empty;
    EXPECT_EQ(applied(*pool, VolumeFormat::truecrypt, empty), plain_pool({file}, 64)) << size;
    EXPECT_EQ(applied(*pool, VolumeFormat::veracrypt, empty), plain_pool({file}, 64)) << size;
    Bytes truth = plain_pool({file}, 128);
    const Bytes password(65, 0x80);
    for (std::size_t i = 0; i < 65; ++i) truth[i] = static_cast<std::uint8_t>(truth[i] + 0x80);
    EXPECT_EQ(applied(*pool, VolumeFormat::veracrypt, password), truth) << size;
  }
}

TEST(KeyfilePool, NeitherOrderNorPiecesMatter) {
  std::mt19937_64 rng(2);
  const Bytes a = random_bytes_of(rng, 777);
  const Bytes b = random_bytes_of(rng, 5);
  auto first = KeyfilePool::create();
  auto second = KeyfilePool::create();
  ASSERT_TRUE(first.ok() && second.ok());
  add_file(*first, a);
  add_file(*first, b);
  add_file(*second, b);
  for (const std::uint8_t byte : a) second->add_bytes({&byte, 1});
  second->end_file();
  EXPECT_EQ(first->files(), 2U);
  const Bytes password{'x', 'y'};
  EXPECT_EQ(applied(*first, VolumeFormat::veracrypt, password),
            applied(*second, VolumeFormat::veracrypt, password));
}

TEST(KeyfilePool, BytesPastTheFirstMebibyteDoNotCountAcrossPieces) {
  std::mt19937_64 rng(3);
  const Bytes file = random_bytes_of(rng, 1048576 + 100);
  auto pool = KeyfilePool::create();
  ASSERT_TRUE(pool.ok());
  for (std::size_t at = 0; at < file.size(); at += 65000) {
    pool->add_bytes({file.data() + at, std::min<std::size_t>(65000, file.size() - at)});
  }
  pool->end_file();
  EXPECT_EQ(applied(*pool, VolumeFormat::truecrypt, {}), plain_pool({file}, 64));
}

TEST(KeyfilePool, WithoutFilesThePasswordStaysAndLengthsAreChecked) {
  auto pool = KeyfilePool::create();
  ASSERT_TRUE(pool.ok());
  const Bytes password(64, 'p');
  EXPECT_EQ(applied(*pool, VolumeFormat::truecrypt, password), password);
  EXPECT_EQ(pool->apply(truecrypt_max_password, Bytes(65)).error().code,
            ErrorCode::invalid_argument);
  EXPECT_TRUE(pool->apply(veracrypt_max_password, Bytes(128)).ok());
  EXPECT_EQ(pool->apply(veracrypt_max_password, Bytes(129)).error().code,
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace volt
