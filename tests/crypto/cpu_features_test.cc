#include "crypto/base/cpu_features.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace volt {
namespace {

class CpuFeatures : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("VOLT_NO_HW_AES");
    unsetenv("VOLT_CPU_MASK");
    mask_cpu_features(0);
  }
};

TEST_F(CpuFeatures, MaskHidesAndGivesBack) {
  const std::uint32_t all = cpu_features_unmasked();
  EXPECT_EQ(cpu_features(), all);
  mask_cpu_features(all);
  EXPECT_EQ(cpu_features(), 0U);
  EXPECT_EQ(cpu_features_unmasked(), all);
  mask_cpu_features(0);
  EXPECT_EQ(cpu_features(), all);
}

TEST_F(CpuFeatures, EnvironmentHidesHardwareAes) {
  setenv("VOLT_NO_HW_AES", "1", 1);
  apply_cpu_environment();
  EXPECT_EQ(cpu_features(), cpu_features_unmasked() & ~cpu_aes_rounds);
  setenv("VOLT_NO_HW_AES", "0", 1);
  apply_cpu_environment();
  EXPECT_EQ(cpu_features(), cpu_features_unmasked());
}

TEST_F(CpuFeatures, EnvironmentMaskTakesNames) {
  setenv("VOLT_CPU_MASK", "avx2,nonsense,,sse2", 1);
  apply_cpu_environment();
  EXPECT_EQ(cpu_features(), cpu_features_unmasked() & ~(cpu_avx2 | cpu_sse2));
}

TEST_F(CpuFeatures, NamesAreListed) {
  EXPECT_EQ(cpu_feature_names(0), "");
  EXPECT_EQ(cpu_feature_names(cpu_sse2 | cpu_vaes), "sse2 vaes");
  EXPECT_FALSE(cpu_brand().empty());
}

#if defined(__x86_64__)
TEST_F(CpuFeatures, ProbeAgreesWithTheCompilerRuntime) {
  const std::uint32_t all = cpu_features_unmasked();
  EXPECT_EQ((all & cpu_sse2) != 0, __builtin_cpu_supports("sse2") != 0);
  EXPECT_EQ((all & cpu_ssse3) != 0, __builtin_cpu_supports("ssse3") != 0);
  EXPECT_EQ((all & cpu_avx2) != 0, __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ((all & cpu_avx512f) != 0, __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ((all & cpu_avx512vbmi) != 0, __builtin_cpu_supports("avx512vbmi") != 0);
}
#endif

}  // namespace
}  // namespace volt
