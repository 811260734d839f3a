#include "crypto/botan_argon2.h"

#include <gtest/gtest.h>

#include "crypto/kdf.h"
#include "tests/vec_reader.h"

namespace volt {
namespace {

Bytes text(std::string_view characters) {
  return {characters.begin(), characters.end()};
}

// The test program of the reference implementation (P-H-C, version 0x13).
TEST(Argon2, ReferenceVectors) {
  Bytes out(32);
  ASSERT_TRUE(argon2id({256, 2, 1}, text("password"), text("somesalt"), out).ok());
  EXPECT_EQ(out, from_hex("9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"));
  ASSERT_TRUE(argon2id({65536, 2, 1}, text("password"), text("somesalt"), out).ok());
  EXPECT_EQ(out, from_hex("09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"));
}

TEST(Argon2, AShortKeyIsTheBeginningOfALongOne) {
  const KdfSpec& spec = *find_kdf(VolumeFormat::veracrypt, PrfId::argon2id, false);
  Bytes whole(192);
  Bytes part(64);
  ASSERT_TRUE(derive_key(spec, 1, text("p"), Bytes(64), whole).ok());
  ASSERT_TRUE(derive_key(spec, 1, text("p"), Bytes(64), part).ok());
  EXPECT_EQ(part, Bytes(whole.begin(), whole.begin() + 64));
}

}  // namespace
}  // namespace volt
