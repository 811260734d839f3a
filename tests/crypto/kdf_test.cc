// Hashes, HMAC, PBKDF2 and its kernels against published vectors, OpenSSL and Botan.
#include "crypto/kdf/kdf.h"

#include <algorithm>
#include <random>
#include <string>

#include <botan/hash.h>
#include <botan/mac.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "crypto/base/cpu_features.h"
#include "crypto/kdf/hashes/hash.h"
#include "crypto/kdf/pbkdf2/pbkdf2_table.h"
#include "tests/support/test_data.h"
#include "tests/support/vec_reader.h"

namespace volt {
namespace {

constexpr std::uint64_t seed = 90210;
constexpr PrfId all_hashes[] = {PrfId::sha512,   PrfId::sha256,    PrfId::blake2s, PrfId::whirlpool,
                                PrfId::streebog, PrfId::ripemd160, PrfId::sha1};

Bytes text(std::string_view characters) {
  return {characters.begin(), characters.end()};
}

Bytes random_bytes_of(std::mt19937_64& rng, std::size_t size) {
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(rng());
  return bytes;
}

std::string botan_hash_name(PrfId prf) {
  switch (prf) {
    case PrfId::sha512:
      return "SHA-512";
    case PrfId::sha256:
      return "SHA-256";
    case PrfId::whirlpool:
      return "Whirlpool";
    case PrfId::streebog:
      return "Streebog-512";
    case PrfId::ripemd160:
      return "RIPEMD-160";
    case PrfId::sha1:
      return "SHA-160";
    default:
      return "";
  }
}

Bytes digest_of(PrfId prf, const Bytes& message) {
  const HashRow& row = *find_hash(prf);
  Bytes digest(row.digest_bytes);
  Hasher hasher(row);
  hasher.update(message);
  hasher.finish(digest.data());
  return digest;
}

Bytes hmac_of(PrfId prf, const Bytes& key, const Bytes& message) {
  Bytes tag(prf_output_bytes(prf));
  EXPECT_TRUE(hmac(prf, key, message, tag).ok());
  return tag;
}

// By Botan; BLAKE2s, which Botan 2 lacks, by OpenSSL.
Bytes other_digest(PrfId prf, const Bytes& message) {
  if (prf == PrfId::blake2s) {
    Bytes digest(32);
    EVP_Digest(message.data(), message.size(), digest.data(), nullptr, EVP_blake2s256(), nullptr);
    return digest;
  }
  const auto hash = Botan::HashFunction::create_or_throw(botan_hash_name(prf));
  const auto digest = hash->process(message.data(), message.size());
  return {digest.begin(), digest.end()};
}

// HMAC as RFC 2104 writes it, on the others' hashes.
Bytes other_hmac(PrfId prf, Bytes key, const Bytes& message) {
  const std::size_t block = find_hash(prf)->block_bytes;
  if (key.size() > block) key = other_digest(prf, key);
  key.resize(block);
  Bytes inner(key.size());
  Bytes outer(key.size());
  std::transform(key.begin(), key.end(), inner.begin(), [](int b) { return b ^ 0x36; });
  std::transform(key.begin(), key.end(), outer.begin(), [](int b) { return b ^ 0x5C; });
  inner.insert(inner.end(), message.begin(), message.end());
  const Bytes digest = other_digest(prf, inner);
  outer.insert(outer.end(), digest.begin(), digest.end());
  return other_digest(prf, outer);
}

// PBKDF2 as RFC 8018 writes it.
Bytes slow_pbkdf2(PrfId prf, const Bytes& password, const Bytes& salt, unsigned iterations,
                  std::size_t key_bytes) {
  Bytes key;
  for (std::uint8_t index = 1; key.size() < key_bytes; ++index) {
    Bytes message = salt;
    for (const std::uint8_t byte : {std::uint8_t{0}, std::uint8_t{0}, std::uint8_t{0}, index}) {
      message.push_back(byte);
    }
    Bytes u = other_hmac(prf, password, message);
    Bytes t = u;
    for (unsigned i = 1; i < iterations; ++i) {
      u = other_hmac(prf, password, u);
      std::transform(t.begin(), t.end(), u.begin(), t.begin(), std::bit_xor<>());
    }
    key.insert(key.end(), t.begin(), t.end());
  }
  key.resize(key_bytes);
  return key;
}

TEST(Hash, PublishedVectors) {
  EXPECT_EQ(digest_of(PrfId::whirlpool, text("abc")),  // ISO/IEC 10118-3
            from_hex("4e2448a4c6f486bb16b6562c73b4020bf3043e3a731bce721ae1b303d97e6d4c"
                     "7181eebdb6c57e277d0e34957114cbd6c797fc9d95d8b582d225292076d4eef5"));
  EXPECT_EQ(digest_of(PrfId::ripemd160, text("abc")),  // Dobbertin, Bosselaers, Preneel 1996
            from_hex("8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"));
  EXPECT_EQ(digest_of(PrfId::blake2s, text("abc")),  // RFC 7693, appendix B
            from_hex("508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"));
  EXPECT_EQ(digest_of(PrfId::sha256, text("abc")),  // FIPS 180-4
            from_hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
}

TEST(Hash, Blake2sVectors) {
  const auto data = test_data_dir();
  if (!data) GTEST_SKIP() << no_test_data;
  const auto cases = read_vectors(*data / "vectors/blake2s.vec", "BLAKE2s(256)");
  EXPECT_GT(cases.size(), 200U);
  for (const VectorCase& vector : cases) {
    EXPECT_EQ(digest_of(PrfId::blake2s, vector.at("In")), vector.at("Out")) << vector.line;
  }
}

TEST(Hash, AgreesWithOthersForEveryLengthHoweverCut) {
  std::mt19937_64 rng(seed);
  for (const PrfId prf : all_hashes) {
    const HashRow& row = *find_hash(prf);
    for (std::size_t size = 0; size <= 300; ++size) {
      const Bytes message = random_bytes_of(rng, size);
      const Bytes truth = other_digest(prf, message);
      ASSERT_EQ(digest_of(prf, message), truth) << prf_name(prf) << ' ' << size;
      Hasher hasher(row);
      for (std::size_t at = 0; at < size;) {
        const std::size_t piece = std::min<std::size_t>(size - at, 1 + rng() % 90);
        hasher.update({message.data() + at, piece});
        at += piece;
      }
      Bytes digest(row.digest_bytes);
      hasher.finish(digest.data());
      ASSERT_EQ(digest, truth) << prf_name(prf) << ' ' << size << ", seed " << seed;
    }
  }
}

TEST(Hmac, PublishedVectors) {
  const Bytes question = text("what do ya want for nothing?");
  EXPECT_EQ(hmac_of(PrfId::sha256, text("Jefe"), question),  // RFC 4231, 4.3
            from_hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
  EXPECT_EQ(hmac_of(PrfId::sha512, text("Jefe"), question),
            from_hex("164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                     "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"));
  EXPECT_EQ(hmac_of(PrfId::ripemd160, text("Jefe"), question),  // RFC 2286, 2
            from_hex("dda6c0213a485a9e24f4742064a7f033b43c4069"));
  Bytes key(32);
  for (std::size_t i = 0; i < 32; ++i) key[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(
      hmac_of(PrfId::streebog, key, from_hex("0126bdb87800af214341456563780100")),
      from_hex("a59bab22ecae19c65fbde6e5f4e9f5d8549d31f037f9df9b905500e171923a77"     // RFC 7836,
               "3d5f1530f2ed7e964cb2eedc29e9ad2f3afe93b2814f79f5000ffc0366c251e6"));  // A.1
}

TEST(Hmac, AgreesWithOthersForEveryKeyLength) {
  std::mt19937_64 rng(seed);
  for (const PrfId prf : all_hashes) {
    for (std::size_t size = 0; size <= 140; ++size) {
      const Bytes key = random_bytes_of(rng, size);
      const Bytes message = random_bytes_of(rng, rng() % 200);
      ASSERT_EQ(hmac_of(prf, key, message), other_hmac(prf, key, message))
          << prf_name(prf) << ' ' << size << ", seed " << seed;
    }
  }
}

Bytes pbkdf2_of(PrfId prf, const Bytes& password, const Bytes& salt, unsigned iterations,
                std::size_t key_bytes) {
  Bytes key(key_bytes);
  EXPECT_TRUE(derive_key({prf, iterations, {}, 0}, password, salt, key).ok());
  return key;
}

TEST(Pbkdf2, PublishedVectors) {
  const Bytes password = text("password");
  const Bytes salt = text("salt");
  EXPECT_EQ(pbkdf2_of(PrfId::sha1, password, salt, 1, 20),  // RFC 6070
            from_hex("0c60c80f961f0e71f3a9b524af6012062fe037a6"));
  EXPECT_EQ(pbkdf2_of(PrfId::sha1, password, salt, 4096, 20),
            from_hex("4b007901b765489abead49d926f721d065a429c1"));
  EXPECT_EQ(pbkdf2_of(PrfId::sha256, text("passwd"), salt, 1, 64),  // RFC 7914, 11
            from_hex("55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                     "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"));
}

TEST(Pbkdf2, EveryKernelAgreesWithOthersInEveryLane) {
  std::mt19937_64 rng(seed);
  for (const Pbkdf2Kernel* kernel : all_pbkdf2_kernels()) {
    if ((kernel->required_features & ~cpu_features()) != 0) continue;
    SCOPED_TRACE(std::string(prf_name(kernel->prf)) + "_" + kernel->name);
    const HashRow& row = *find_hash(kernel->prf);
    const std::size_t digest = row.digest_bytes;
    for (const std::uint32_t count : {1U, 2U, 37U}) {
      const Bytes password = random_bytes_of(rng, 20);
      const HmacKey key(row, password);
      Bytes u = random_bytes_of(rng, digest * kernel->lanes);
      Bytes t = random_bytes_of(rng, digest * kernel->lanes);
      Bytes u_truth = u;
      Bytes t_truth = t;
      kernel->iterate(&key.inner, &key.outer, u.data(), t.data(), count);
      for (std::size_t lane = 0; lane < kernel->lanes; ++lane) {
        const auto at = static_cast<std::ptrdiff_t>(lane * digest);
        for (std::uint32_t i = 0; i < count; ++i) {
          Bytes value(digest);
          std::copy_n(u_truth.begin() + at, digest, value.begin());
          value = other_hmac(kernel->prf, password, value);
          std::copy(value.begin(), value.end(), u_truth.begin() + at);
          std::transform(value.begin(), value.end(), t_truth.begin() + at, t_truth.begin() + at,
                         std::bit_xor<>());
        }
      }
      ASSERT_EQ(u, u_truth) << count << " iterations, seed " << seed;
      ASSERT_EQ(t, t_truth) << count << " iterations, seed " << seed;
    }
  }
}

TEST(Pbkdf2, EveryLengthOfKeyAgreesWithOthersWhateverIsMasked) {
  std::mt19937_64 rng(seed);
  const std::uint32_t masks[] = {0, cpu_vectors512, cpu_vectors512 | cpu_sha_rounds,
                                 cpu_vectors512 | cpu_sha_rounds | cpu_vectors256};
  for (const PrfId prf : all_hashes) {
    const Bytes password = random_bytes_of(rng, 72);
    const Bytes salt = random_bytes_of(rng, 64);
    const Bytes truth = slow_pbkdf2(prf, password, salt, 5, max_header_key_bytes);
    for (const std::uint32_t mask : masks) {
      mask_cpu_features(mask);
      for (std::size_t bytes = 0; bytes <= max_header_key_bytes; bytes += 1 + rng() % 9) {
        const Bytes key = pbkdf2_of(prf, password, salt, 5, bytes);
        ASSERT_TRUE(std::equal(key.begin(), key.end(), truth.begin()))
            << prf_name(prf) << ' ' << bytes << " bytes, seed " << seed;
      }
      mask_cpu_features(0);
    }
  }
}

// As TrueCrypt has them: few enough to derive many times.
constexpr std::array few_iterations = {
    KdfParameters{PrfId::sha512, 1000, {}, 0}, KdfParameters{PrfId::ripemd160, 2000, {}, 0},
    KdfParameters{PrfId::whirlpool, 1000, {}, 0}, KdfParameters{PrfId::sha1, 2000, {}, 0},
    KdfParameters{PrfId::ripemd160, 1000, {}, 0}};

TEST(Kdf, ABatchEqualsItsJobsOneByOne) {
  std::mt19937_64 rng(seed);
  const Bytes password = random_bytes_of(rng, 30);
  for (const KdfParameters& work : few_iterations) {
    std::array<Bytes, 4> salts;
    std::array<Bytes, 4> keys{Bytes(192), Bytes(64), Bytes(0), Bytes(256)};
    std::vector<KdfJob> jobs;
    for (std::size_t i = 0; i < 4; ++i) {
      salts[i] = random_bytes_of(rng, 64);
      jobs.push_back({salts[i], keys[i]});
    }
    ASSERT_TRUE(derive_keys(work, password, jobs).ok());
    for (std::size_t i = 0; i < 4; ++i) {
      Bytes alone(keys[i].size());
      ASSERT_TRUE(derive_key(work, password, salts[i], alone).ok());
      EXPECT_EQ(keys[i], alone) << prf_name(work.prf) << " job " << i;
      EXPECT_EQ(alone, pbkdf2_of(work.prf, password, salts[i], work.iterations, alone.size()));
    }
  }
}

TEST(Kdf, AnyPartOfAKeyIsThatPartOfTheWhole) {
  std::mt19937_64 rng(seed);
  const Bytes password = random_bytes_of(rng, 20);
  const Bytes salt = random_bytes_of(rng, 64);
  for (const KdfParameters& work : few_iterations) {
    Bytes whole(192);
    ASSERT_TRUE(derive_key(work, password, salt, whole).ok());
    for (const std::size_t skip : {0U, 1U, 20U, 63U, 64U, 100U}) {
      for (const std::size_t length : {0U, 1U, 64U, 92U}) {
        Bytes part(length);
        const KdfJob job{salt, part, skip};
        ASSERT_TRUE(derive_keys(work, password, {&job, 1}).ok());
        EXPECT_TRUE(
            std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(skip)))
            << prf_name(work.prf) << " from " << skip << ", " << length << " bytes";
      }
    }
    Bytes part(192);
    const KdfJob too_far{salt, part, 65};
    EXPECT_EQ(derive_keys(work, password, {&too_far, 1}).error().code, ErrorCode::invalid_argument);
  }
}

TEST(Kdf, RefusesAndCancels) {
  const KdfParameters long_work{PrfId::sha512, 500000, {}, 0};
  Bytes key(64);
  const Bytes salt(64);
  Bytes too_long(257);
  EXPECT_EQ(derive_key({PrfId::sha512, 1, {}, 0}, {}, salt, too_long).error().code,
            ErrorCode::invalid_argument);
  const std::atomic<bool> cancel{true};
  EXPECT_EQ(derive_key(long_work, {}, salt, key, &cancel).error().code, ErrorCode::cancelled);
  EXPECT_EQ(derive_key({PrfId::argon2id, 1, {}, 192}, {}, salt, key).error().code,
            ErrorCode::invalid_argument);
  EXPECT_EQ(derive_key({PrfId::sha1, 0, {}, 0}, {}, salt, key).error().code,
            ErrorCode::invalid_argument);
  EXPECT_EQ(hmac(PrfId::sha1, {}, {}, key).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(prf_output_bytes(PrfId::argon2id), 0U);
}

}  // namespace
}  // namespace volt
