// Bits of a feature set, under the names that the makers of processors gave them. The instruction
// sets of this folder name what they need by these; everything else asks by role
// (crypto/base/cpu_features.h).
#pragma once

#include <cstdint>
#include <string>

namespace volt {

enum CpuFeature : std::uint32_t {
  // x86-64
  cpu_sse2 = 1U << 0,
  cpu_ssse3 = 1U << 1,
  cpu_sse41 = 1U << 2,
  cpu_aesni = 1U << 3,
  cpu_pclmul = 1U << 4,
  cpu_avx = 1U << 5,
  cpu_avx2 = 1U << 6,
  cpu_vaes = 1U << 7,
  cpu_vpclmul = 1U << 8,
  cpu_gfni = 1U << 9,
  cpu_sha = 1U << 10,
  cpu_bmi2 = 1U << 11,
  cpu_avx512f = 1U << 12,  // with the operating system saving opmask and zmm state
  cpu_avx512bw = 1U << 13,
  cpu_avx512vl = 1U << 14,
  cpu_avx512vbmi = 1U << 15,
  cpu_avx512dq = 1U << 16,
  // ARMv8 in 64 bits
  cpu_neon = 1U << 24,
  cpu_armv8_aes = 1U << 25,
};

// What this processor and its operating system have; probe_*.cc, one for each family.
std::uint32_t probe_cpu_features() noexcept;

// The processor's brand string; "unknown" where it tells none.
std::string probe_cpu_brand();

}  // namespace volt
