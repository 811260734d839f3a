#include "crypto/modes/cascade.h"

#include <algorithm>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "crypto/base/cpu_features.h"
#include "crypto/modes/kernel_table.h"
#include "tests/support/xts_oracle.h"

namespace volt {
namespace {

constexpr std::uint64_t seed = 4711;

Bytes random_bytes_of(std::mt19937_64& rng, std::size_t size) {
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(rng());
  return bytes;
}

// The whole data layer by layer, by another implementation: the key area holds all data keys in
// order of encryption, then all tweak keys.
Bytes by_layers(const CascadeSpec& spec, const Bytes& keys, std::uint64_t unit, Bytes data) {
  for (std::size_t i = 0; i < spec.layers; ++i) {
    const auto layer = static_cast<std::ptrdiff_t>(i) * 32;
    const auto tweak = static_cast<std::ptrdiff_t>(spec.layers) * 32 + layer;
    Bytes pair(64);
    std::copy_n(keys.begin() + layer, 32, pair.begin());
    std::copy_n(keys.begin() + tweak, 32, pair.begin() + 32);
    const auto oracle = xts_oracle(spec.encryption_order[i], pair);
    data = oracle->encrypt(unit, data);
  }
  return data;
}

TEST(Cascade, EveryRowAgreesWithItsLayersOneByOne) {
  std::mt19937_64 rng(seed);
  for (const CascadeSpec& spec : all_cascades()) {
    if (spec.legacy) continue;
    SCOPED_TRACE(spec.name);
    const Bytes keys = random_bytes_of(rng, spec.xts_key_bytes());
    const auto cipher = CascadeCipher::create(spec, keys);
    ASSERT_TRUE(cipher.ok()) << cipher.error().context;
    for (const std::size_t units : {0, 1, 15, 16, 17, 33, 100}) {
      const std::uint64_t unit = units == 33 ? ~std::uint64_t{0} - 7 : rng();
      const Bytes plain = random_bytes_of(rng, units * unit_bytes);
      Bytes encrypted(plain.size());
      (*cipher.value()).encrypt_units(unit, plain.data(), encrypted.data(), units);
      const Bytes truth = by_layers(spec, keys, unit, plain);
      ASSERT_TRUE(encrypted == truth) << units << " units, seed " << seed;
      Bytes back(plain.size());
      (*cipher.value()).decrypt_units(unit, encrypted.data(), back.data(), units);
      ASSERT_TRUE(back == plain) << units << " units";
      (*cipher.value()).decrypt_units(unit, encrypted.data(), encrypted.data(), units);
      ASSERT_TRUE(encrypted == plain) << units << " units, in place";
    }
  }
}

TEST(Cascade, RefusesWrongLengthsLegacyCiphersAndUnknownKernels) {
  const CascadeSpec& aes = *find_cascade("aes");
  EXPECT_EQ(CascadeCipher::create(aes, Bytes(63)).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(CascadeCipher::create(aes, Bytes(128)).error().code, ErrorCode::invalid_argument);
  const CascadeSpec& blowfish = *find_cascade("blowfish");
  EXPECT_EQ(CascadeCipher::create(blowfish, Bytes(64)).error().code, ErrorCode::not_supported);
  EXPECT_EQ(CascadeCipher::create(aes, Bytes(64), {~0U, "nonsense"}).error().code,
            ErrorCode::not_supported);
}

TEST(Cascade, UnitsOf4096BytesAgreeWithTheOracle) {
  std::mt19937_64 rng(4096);
  for (const char* name : {"aes", "aes-twofish-serpent", "kuznyechik-serpent-camellia"}) {
    const CascadeSpec& spec = *find_cascade(name);
    const Bytes keys = random_bytes_of(rng, spec.xts_key_bytes());
    const auto cipher =
        CascadeCipher::create(spec, keys, default_kernel_choice(), DataUnit::bytes4096);
    ASSERT_TRUE(cipher.ok());
    EXPECT_EQ((*cipher)->data_unit_bytes(), 4096U);
    const Bytes plain = random_bytes_of(rng, 7 * 4096);
    Bytes truth = plain;
    for (std::size_t i = 0; i < spec.layers; ++i) {
      Bytes layer_keys(64);
      std::copy_n(&keys[32 * i], 32, layer_keys.data());
      std::copy_n(&keys[32 * (spec.layers + i)], 32, layer_keys.data() + 32);
      truth = xts_oracle(spec.encryption_order[i], layer_keys, DataUnit::bytes4096)
                  ->encrypt(123, truth);
    }
    Bytes result(plain.size());
    (*cipher)->encrypt_units(123, plain.data(), result.data(), 7);
    EXPECT_TRUE(result == truth) << name;
    (*cipher)->decrypt_units(123, result.data(), result.data(), 7);
    EXPECT_TRUE(result == plain) << name;
  }
}

TEST(Cascade, Aes128HasKeysOfItsOwnLengthAndIsNoCipherOfVolumes) {
  std::mt19937_64 rng(128);
  const CascadeSpec& spec = aes128_spec();
  EXPECT_EQ(spec.xts_key_bytes(), 32U);
  EXPECT_EQ(find_cascade(spec.name), nullptr);
  EXPECT_EQ(CascadeCipher::create(spec, Bytes(64)).error().code, ErrorCode::invalid_argument);
  const Bytes keys = random_bytes_of(rng, 32);
  const Bytes plain = random_bytes_of(rng, 3 * 4096);
  for (const DataUnit unit : {DataUnit::bytes512, DataUnit::bytes4096}) {
    const auto cipher = CascadeCipher::create(spec, keys, default_kernel_choice(), unit);
    ASSERT_TRUE(cipher.ok());
    Bytes result(plain.size());
    (*cipher)->encrypt_units(5, plain.data(), result.data(), plain.size() / bytes_of(unit));
    EXPECT_TRUE(result == openssl_aes_oracle(keys, unit)->encrypt(5, plain));
  }
}

TEST(Cascade, KernelNamesStandInTheLabelsOrder) {
  const CascadeSpec& spec = *find_cascade("aes-twofish-serpent");
  const auto forced = CascadeCipher::create(spec, Bytes(192), {cpu_features(), "portable"});
  ASSERT_TRUE(forced.ok());
  EXPECT_EQ((*forced.value()).kernel_names(), "portable+portable+portable");
  EXPECT_FALSE((*forced.value()).constant_time());
  const auto best = CascadeCipher::create(spec, Bytes(192));
  ASSERT_TRUE(best.ok());
  std::string names;
  for (const CipherId cipher : {CipherId::aes, CipherId::twofish, CipherId::serpent}) {
    names += (names.empty() ? "" : "+");
    names += select_kernel(cipher, cpu_features())->name;
  }
  EXPECT_EQ((*best.value()).kernel_names(), names);
}

TEST(Cascade, OneObjectServesManyThreads) {
  std::mt19937_64 rng(seed);
  const CascadeSpec& spec = *find_cascade("serpent-twofish-aes");
  const auto cipher = CascadeCipher::create(spec, random_bytes_of(rng, spec.xts_key_bytes()));
  ASSERT_TRUE(cipher.ok());
  constexpr std::size_t units = 40;
  const Bytes plain = random_bytes_of(rng, units * unit_bytes);
  Bytes truth(plain.size());
  (*cipher.value()).encrypt_units(9, plain.data(), truth.data(), units);
  std::vector<std::thread> threads;
  std::array<Bytes, 4> results;
  for (Bytes& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        result.assign(plain.begin(), plain.end());
        (*cipher.value()).encrypt_units(9, result.data(), result.data(), units);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Bytes& result : results) EXPECT_TRUE(result == truth);
}

}  // namespace
}  // namespace volt
