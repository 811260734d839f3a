// CPUID and XGETBV.
#include <array>
#include <cstring>
#include <initializer_list>

#include <cpuid.h>

#include "crypto/isa/feature_bits.h"

namespace volt {
namespace {

// A CPUID bit that stands for a feature.
struct CpuidBit {
  unsigned bit;
  std::uint32_t feature;
};

std::uint32_t map_bits(unsigned value, std::initializer_list<CpuidBit> bits) noexcept {
  std::uint32_t features = 0;
  for (const CpuidBit& row : bits) {
    if ((value >> row.bit) & 1U) features |= row.feature;
  }
  return features;
}

// XCR0: which register states the operating system saves. Only valid where OSXSAVE is set.
std::uint64_t read_xcr0() noexcept {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

constexpr std::uint32_t needs_ymm = cpu_avx | cpu_avx2 | cpu_vaes | cpu_vpclmul;
constexpr std::uint32_t needs_zmm =
    cpu_avx512f | cpu_avx512bw | cpu_avx512vl | cpu_avx512vbmi | cpu_avx512dq;

}  // namespace

// Intel SDM volume 1, 14.3 and 15.2: bits 1-2 of XCR0 are xmm and ymm; 5-7 opmask and zmm.
std::uint32_t probe_cpu_features() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return 0;
  std::uint32_t features = map_bits(d, {{26, cpu_sse2}});
  features |= map_bits(
      c, {{1, cpu_pclmul}, {9, cpu_ssse3}, {19, cpu_sse41}, {25, cpu_aesni}, {28, cpu_avx}});
  const std::uint64_t xcr0 = ((c >> 27) & 1U) ? read_xcr0() : 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) {
    features |= map_bits(b, {{5, cpu_avx2},
                             {8, cpu_bmi2},
                             {16, cpu_avx512f},
                             {17, cpu_avx512dq},
                             {29, cpu_sha},
                             {30, cpu_avx512bw},
                             {31, cpu_avx512vl}});
    features |= map_bits(c, {{1, cpu_avx512vbmi}, {8, cpu_gfni}, {9, cpu_vaes}, {10, cpu_vpclmul}});
  }
  const bool ymm_saved = (xcr0 & 0x06) == 0x06;
  const bool zmm_saved = ymm_saved && (xcr0 & 0xE0) == 0xE0;
  if (!ymm_saved) features &= ~needs_ymm;
  if (!zmm_saved) features &= ~needs_zmm;
  return features;
}

std::string probe_cpu_brand() {
  std::array<unsigned, 12> words{};
  unsigned highest = __get_cpuid_max(0x80000000U, nullptr);
  if (highest < 0x80000004U) return "unknown";
  for (unsigned i = 0; i < 3; ++i) {
    unsigned* w = words.data() + std::size_t{i} * 4;
    __get_cpuid(0x80000002U + i, &w[0], &w[1], &w[2], &w[3]);
  }
  std::array<char, sizeof words + 1> text{};
  std::memcpy(text.data(), words.data(), sizeof words);
  std::string brand(text.data());
  const std::size_t first = brand.find_first_not_of(' ');
  if (first == std::string::npos) return "unknown";
  return brand.substr(first, brand.find_last_not_of(' ') - first + 1);
}

}  // namespace volt
