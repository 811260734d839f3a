#include "crypto/cascade_spec.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "crypto/kdf_spec.h"

namespace volt {
namespace {

TEST(CascadeSpec, NamesAreTheReverseOfTheEncryptionOrder) {
  std::set<std::string> seen;
  for (const CascadeSpec& spec : all_cascades()) {
    std::string name;
    for (std::size_t i = spec.layers; i-- > 0;) {
      if (!name.empty()) name += '-';
      name += cipher_name(spec.encryption_order[i]);
    }
    EXPECT_EQ(name, spec.name);
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_EQ(find_cascade(name), &spec);
    std::string label = spec.label;
    std::transform(label.begin(), label.end(), label.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (name != "des3") {
      EXPECT_EQ(label, name);
    }
    EXPECT_NE(spec.legacy, spec.truecrypt || spec.veracrypt) << name;
  }
}

TEST(CascadeSpec, ListsWhatTheProgramsOffer) {
  const auto count = [](auto predicate) {
    return std::count_if(all_cascades().begin(), all_cascades().end(), predicate);
  };
  EXPECT_EQ(count([](const CascadeSpec& s) { return s.veracrypt; }), 15);
  EXPECT_EQ(count([](const CascadeSpec& s) { return s.truecrypt; }), 8);
  EXPECT_EQ(find_cascade("aes-serpent"), nullptr);
  EXPECT_EQ(find_cascade("AES"), nullptr);
}

TEST(KdfSpec, IterationsFollowThePim) {
  const KdfSpec* sha512 = find_kdf(VolumeFormat::veracrypt, PrfId::sha512, false);
  ASSERT_NE(sha512, nullptr);
  EXPECT_EQ(kdf_iterations(*sha512, 0), 500000U);
  EXPECT_EQ(kdf_iterations(*sha512, 1), 16000U);
  EXPECT_EQ(kdf_iterations(*sha512, 485), 500000U);
  EXPECT_EQ(kdf_iterations(*sha512, max_pim), 2147483000U);
  const KdfSpec* system = find_kdf(VolumeFormat::veracrypt, PrfId::sha256, true);
  ASSERT_NE(system, nullptr);
  EXPECT_EQ(kdf_iterations(*system, 0), 200000U);
  EXPECT_EQ(kdf_iterations(*system, 98), 200704U);
  const KdfSpec* old = find_kdf(VolumeFormat::truecrypt, PrfId::ripemd160, false);
  ASSERT_NE(old, nullptr);
  EXPECT_EQ(kdf_iterations(*old, 7), 2000U);
}

TEST(KdfSpec, Argon2ParametersFollowThePim) {
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
