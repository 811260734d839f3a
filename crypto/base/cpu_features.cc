#include "crypto/base/cpu_features.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "crypto/base/same_name.h"

namespace volt {
namespace {

struct FeatureName {
  std::uint32_t bit;
  const char* name;
};

constexpr std::array<FeatureName, 19> feature_names{{
    {cpu_sse2, "sse2"},
    {cpu_ssse3, "ssse3"},
    {cpu_sse41, "sse41"},
    {cpu_aesni, "aesni"},
    {cpu_pclmul, "pclmul"},
    {cpu_avx, "avx"},
    {cpu_avx2, "avx2"},
    {cpu_vaes, "vaes"},
    {cpu_vpclmul, "vpclmul"},
    {cpu_gfni, "gfni"},
    {cpu_sha, "sha"},
    {cpu_bmi2, "bmi2"},
    {cpu_avx512f, "avx512f"},
    {cpu_avx512bw, "avx512bw"},
    {cpu_avx512vl, "avx512vl"},
    {cpu_avx512vbmi, "avx512vbmi"},
    {cpu_avx512dq, "avx512dq"},
    {cpu_neon, "neon"},
    {cpu_armv8_aes, "armv8-aes"},
}};

std::atomic<std::uint32_t> hidden_features{0};

std::uint32_t parse_names(std::string_view list) noexcept {
  std::uint32_t features = 0;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    for (const FeatureName& row : feature_names) {
      if (same_name(word, row.name)) features |= row.bit;
    }
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return features;
}

}  // namespace

std::uint32_t cpu_features_unmasked() noexcept {
  static const std::uint32_t features = probe_cpu_features();
  return features;
}

std::uint32_t cpu_features() noexcept {
  return cpu_features_unmasked() & ~hidden_features.load(std::memory_order_relaxed);
}

void mask_cpu_features(std::uint32_t features_to_hide) noexcept {
  hidden_features.store(features_to_hide, std::memory_order_relaxed);
}

void apply_cpu_environment() noexcept {
  std::uint32_t hide = 0;
  const char* no_hw_aes = std::getenv("VOLT_NO_HW_AES");
  if (no_hw_aes != nullptr && std::strcmp(no_hw_aes, "1") == 0) hide |= cpu_aes_rounds;
  if (const char* mask = std::getenv("VOLT_CPU_MASK")) hide |= parse_names(mask);
  mask_cpu_features(hide);
}

std::string cpu_feature_names(std::uint32_t features) {
  std::string names;
  for (const FeatureName& row : feature_names) {
    if ((features & row.bit) == 0) continue;
    if (!names.empty()) names += ' ';
    names += row.name;
  }
  return names;
}

std::string cpu_brand() {
  return probe_cpu_brand();
}

}  // namespace volt
