#include "crypto/kdf/argon2/argon2.h"

#include <random>

#include <botan/pwdhash.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "crypto/base/cpu_features.h"
#include "crypto/kdf/argon2/argon2_kernel.h"
#include "crypto/kdf/argon2/blake2b.h"
#include "crypto/kdf/kdf.h"
#include "tests/support/vec_reader.h"

namespace volt {
namespace {

constexpr std::uint64_t seed = 9106;

Bytes text(std::string_view characters) {
  return {characters.begin(), characters.end()};
}

Bytes random_bytes_of(std::mt19937_64& rng, std::size_t size) {
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(rng());
  return bytes;
}

Bytes by_botan(const Argon2Parameters& p, const Bytes& password, const Bytes& salt,
               std::size_t size) {
  Bytes out(size);
  const auto family = Botan::PasswordHashFamily::create_or_throw("Argon2id");
  family->from_params(p.memory_kib, p.passes, p.parallelism)
      ->derive_key(out.data(), out.size(), reinterpret_cast<const char*>(password.data()),
                   password.size(), salt.data(), salt.size());
  return out;
}

// Every instruction set of this processor, the best first.
constexpr std::uint32_t masks[] = {0, cpu_vectors512, cpu_vectors512 | cpu_vectors256};

class Argon2 : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override { mask_cpu_features(GetParam()); }
  void TearDown() override { mask_cpu_features(0); }
};

TEST(Blake2b, AgreesWithOthers) {
  std::mt19937_64 rng(seed);
  Bytes digest(64);
  blake2b({text("abc")}, digest);  // RFC 7693, appendix A
  EXPECT_EQ(digest, from_hex("ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                             "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"));
  for (std::size_t size = 0; size < 400; ++size) {
    const Bytes message = random_bytes_of(rng, size);
    Bytes truth(64);
    EVP_Digest(message.data(), size, truth.data(), nullptr, EVP_blake2b512(), nullptr);
    const ByteSpan whole(message);
    const std::size_t cut = size == 0 ? 0 : rng() % size;
    blake2b({whole.first(cut), whole.subspan(cut)}, digest);
    ASSERT_EQ(digest, truth) << size << " bytes, seed " << seed;
  }
}

// The test program of the reference implementation (version 0x13).
TEST_P(Argon2, ReferenceVectors) {
  Bytes out(32);
  ASSERT_TRUE(argon2id({256, 2, 1}, text("password"), text("somesalt"), out).ok());
  EXPECT_EQ(out, from_hex("9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"));
  ASSERT_TRUE(argon2id({65536, 2, 1}, text("password"), text("somesalt"), out).ok());
  EXPECT_EQ(out, from_hex("09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"));
  ASSERT_TRUE(argon2id({256, 2, 2}, text("password"), text("somesalt"), out).ok());
  EXPECT_EQ(out, from_hex("6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"));
}

// RFC 9106, 5.3: four lanes, a secret and associated data.
TEST_P(Argon2, TheVectorOfTheRfc) {
  Bytes out(32);
  ASSERT_TRUE(
      argon2id({32, 3, 4}, Bytes(32, 1), Bytes(16, 2), out, nullptr, {Bytes(8, 3), Bytes(12, 4)})
          .ok());
  EXPECT_EQ(out, from_hex("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"));
}

TEST_P(Argon2, AgreesWithBotanOverParameters) {
  std::mt19937_64 rng(seed);
  for (int round = 0; round < 40; ++round) {
    Argon2Parameters parameters{};
    parameters.parallelism = 1 + static_cast<std::uint32_t>(rng() % 4);
    parameters.memory_kib = 8 * parameters.parallelism + static_cast<std::uint32_t>(rng() % 600);
    parameters.passes = 1 + static_cast<std::uint32_t>(rng() % 4);
    const Bytes password = random_bytes_of(rng, rng() % 129);
    const Bytes salt = random_bytes_of(rng, 8 + rng() % 64);
    Bytes out(4 + rng() % 200);
    ASSERT_TRUE(argon2id(parameters, password, salt, out).ok());
    ASSERT_EQ(out, by_botan(parameters, password, salt, out.size()))
        << parameters.parallelism << " lanes, " << parameters.memory_kib << " KiB, "
        << parameters.passes << " passes, " << out.size() << " bytes, seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Argon2, ::testing::ValuesIn(masks), [](const auto& param) {
  const std::uint32_t features = cpu_features_unmasked() & ~param.param;
  return std::to_string(param.index) + "_" + select_argon2_kernel(features).name;
});

TEST(Argon2Kdf, AShortKeyIsTheBeginningOfALongOne) {
  const KdfParameters small{PrfId::argon2id, 0, {64, 1, 1}, 192};
  Bytes whole(192);
  Bytes part(64);
  ASSERT_TRUE(derive_key(small, text("p"), Bytes(64), whole).ok());
  ASSERT_TRUE(derive_key(small, text("p"), Bytes(64), part).ok());
  EXPECT_EQ(part, Bytes(whole.begin(), whole.begin() + 64));
}

TEST(Argon2Kdf, RefusesAndCancels) {
  Bytes out(32);
  for (const Argon2Parameters& wrong : {Argon2Parameters{7, 1, 1}, Argon2Parameters{64, 0, 1},
                                        Argon2Parameters{64, 1, 0}, Argon2Parameters{64, 1, 9}}) {
    EXPECT_EQ(argon2id(wrong, text("p"), Bytes(64), out).error().code, ErrorCode::invalid_argument);
  }
  const std::atomic<bool> cancel{true};
  EXPECT_EQ(argon2id({65536, 3, 1}, text("p"), Bytes(64), out, &cancel).error().code,
            ErrorCode::cancelled);
}

}  // namespace
}  // namespace volt
