#include "crypto/base/same_name.h"

#include <gtest/gtest.h>

#include "blockdev/formats/veracrypt/kdf_table.h"
#include "blockdev/simulate/disk_profile.h"
#include "crypto/modes/cascade_spec.h"
#include "crypto/modes/kernel_table.h"

namespace volt {
namespace {

TEST(SameName, LettersAndDigitsCountInAnyCase) {
  EXPECT_TRUE(same_name("AES-Twofish", "aes-twofish"));
  EXPECT_TRUE(same_name("AES(Twofish(Serpent))", "aes-twofish-serpent"));
  EXPECT_TRUE(same_name("SHA-512", "sha512"));
  EXPECT_TRUE(same_name("io-uring", "IO_URING"));
  EXPECT_FALSE(same_name("aes", "aes-twofish"));
  EXPECT_FALSE(same_name("aes-twofish", "aes"));
  EXPECT_FALSE(same_name("sha512", "sha256"));
  EXPECT_FALSE(same_name("sha.512", "sha512"));
  EXPECT_FALSE(same_name("", ""));
  EXPECT_FALSE(same_name("--", ""));
  EXPECT_FALSE(same_name("", "aes"));
}

TEST(SameName, VeraCryptsSpellingsAreFound) {
  const struct {
    const char* name;
    PrfId prf;
  } prfs[] = {{"SHA-512", PrfId::sha512},
              {"HMAC-SHA-256", PrfId::sha256},
              {"BLAKE2s-256", PrfId::blake2s},
              {"BLAKE2s", PrfId::blake2s},
              {"Whirlpool", PrfId::whirlpool},
              {"Streebog", PrfId::streebog},
              {"HMAC-RIPEMD-160", PrfId::ripemd160},
              {"Argon2id", PrfId::argon2id},
              {"Argon2", PrfId::argon2id},
              {"sha-1", PrfId::sha1}};
  for (const auto& row : prfs) {
    PrfId found{};
    EXPECT_TRUE(parse_prf(row.name, &found)) << row.name;
    EXPECT_EQ(found, row.prf) << row.name;
  }
  PrfId none{};
  EXPECT_FALSE(parse_prf("", &none));
  EXPECT_FALSE(parse_prf("hmac-", &none));
  EXPECT_FALSE(parse_prf("md5", &none));
  VolumeFormat format{};
  EXPECT_TRUE(parse_format("TrueCrypt", &format));
  EXPECT_EQ(format, VolumeFormat::truecrypt);
  EXPECT_FALSE(parse_format("luks", &format));
  EXPECT_EQ(find_cascade("Triple DES"), find_cascade("des3"));
  EXPECT_EQ(find_disk_profile("HDD-5400"), find_disk_profile("hdd-5400"));
  EXPECT_NE(find_disk_profile("HDD-5400"), nullptr);
}

// A spelling that fits two rows would silently take the first.
TEST(SameName, NoTwoRowsOfATableAreTheSame) {
  for (const CascadeSpec& spec : all_cascades()) {
    EXPECT_EQ(find_cascade(spec.name), &spec);
    EXPECT_EQ(find_cascade(spec.label), &spec);
  }
  for (const KdfSpec& spec : all_kdfs()) {
    PrfId found{};
    EXPECT_TRUE(parse_prf(spec.name, &found));
    EXPECT_EQ(found, spec.prf);
  }
  for (const XtsKernel* kernel : all_kernels()) {
    EXPECT_EQ(find_kernel(kernel->cipher, kernel->name), kernel);
  }
}

}  // namespace
}  // namespace volt
