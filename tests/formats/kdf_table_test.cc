#include "blockdev/formats/veracrypt/kdf_table.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace volt {
namespace {

TEST(KdfSpec, IterationsFollowThePim) {
  const KdfSpec* sha512 = find_kdf(VolumeFormat::veracrypt, PrfId::sha512, false);
  ASSERT_NE(sha512, nullptr);
  EXPECT_EQ(kdf_parameters(*sha512, 0).iterations, 500000U);
  EXPECT_EQ(kdf_parameters(*sha512, 1).iterations, 16000U);
  EXPECT_EQ(kdf_parameters(*sha512, 485).iterations, 500000U);
  EXPECT_EQ(kdf_parameters(*sha512, max_pim).iterations, 2147483000U);
  const KdfSpec* system = find_kdf(VolumeFormat::veracrypt, PrfId::sha256, true);
  ASSERT_NE(system, nullptr);
  EXPECT_EQ(kdf_parameters(*system, 0).iterations, 200000U);
  EXPECT_EQ(kdf_parameters(*system, 98).iterations, 200704U);
  const KdfSpec* old = find_kdf(VolumeFormat::truecrypt, PrfId::ripemd160, false);
  ASSERT_NE(old, nullptr);
  EXPECT_EQ(kdf_parameters(*old, 0).iterations, 2000U);
}

TEST(KdfSpec, Argon2ParametersFollowThePim) {
  const KdfSpec& spec = *find_kdf(VolumeFormat::veracrypt, PrfId::argon2id, false);
  const auto argon2_parameters = [&](std::uint32_t pim) {
    return kdf_parameters(spec, pim).argon2;
  };
  const Argon2Parameters normal = argon2_parameters(0);
  EXPECT_EQ(normal.memory_kib, 416U * 1024);
  EXPECT_EQ(normal.passes, 6U);
  EXPECT_EQ(normal.parallelism, 1U);
  EXPECT_EQ(argon2_parameters(1).memory_kib, 64U * 1024);
  EXPECT_EQ(argon2_parameters(1).passes, 3U);
  EXPECT_EQ(argon2_parameters(31).memory_kib, 1024U * 1024);
  EXPECT_EQ(argon2_parameters(31).passes, 13U);
  EXPECT_EQ(argon2_parameters(40).memory_kib, 1024U * 1024);
  EXPECT_EQ(argon2_parameters(40).passes, 22U);
}

TEST(KdfSpec, PimLimitsByFormatAndSystem) {
  const auto why = [](std::optional<VolumeFormat> format, bool system, std::uint32_t pim) {
    const Status status = check_pim(format, system, pim);
    EXPECT_TRUE(status.ok() || status.error().code == ErrorCode::invalid_argument);
    return std::string(status.ok() ? "" : status.error().context);
  };
  const auto vera = VolumeFormat::veracrypt;
  for (const auto format : {std::optional<VolumeFormat>(), std::optional(vera)}) {
    EXPECT_EQ(why(format, false, 2147468), "");
    EXPECT_NE(why(format, false, 2147469).find("2147468"), std::string::npos);
    EXPECT_EQ(why(format, true, 65535), "");
    EXPECT_NE(why(format, true, 65536).find("65535"), std::string::npos);
  }
  EXPECT_EQ(why(VolumeFormat::truecrypt, false, 0), "");
  EXPECT_NE(why(VolumeFormat::truecrypt, false, 1).find("no PIM"), std::string::npos);
  EXPECT_NE(why(VolumeFormat::truecrypt, true, 1).find("no PIM"), std::string::npos);
  // Every row's count fits 32 bits at its limit.
  for (const KdfSpec& spec : all_kdfs()) {
    if (!format_has_pim(spec.format) || spec.prf == PrfId::argon2id) continue;
    const std::uint32_t limit = spec.system ? max_system_pim : max_pim;
    EXPECT_GT(kdf_parameters(spec, limit).iterations, kdf_parameters(spec, limit - 1).iterations);
  }
}

TEST(KdfSpec, PrfNamesParse) {
  for (const KdfSpec& spec : all_kdfs()) {
    PrfId prf{};
    ASSERT_TRUE(parse_prf(spec.name, &prf)) << spec.name;
    EXPECT_EQ(prf, spec.prf);
    EXPECT_STREQ(prf_name(spec.prf), spec.name);
    EXPECT_EQ(find_kdf(spec.format, spec.prf, spec.system), &spec);
  }
  PrfId prf{};
  EXPECT_FALSE(parse_prf("md5", &prf));
}

}  // namespace
}  // namespace volt
