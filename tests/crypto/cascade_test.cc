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
