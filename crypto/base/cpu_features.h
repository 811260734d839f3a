// What this processor and its operating system let us use, and a way to take features away.
#pragma once

#include <cstdint>
#include <string>

namespace volt {

// Bits of a feature set. A kernel's `required_features` is a set of these.
enum CpuFeature : std::uint32_t {
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
};

// CPUID and XGETBV: a wide feature counts only where the operating system saves its registers.
// Probed once; less what `mask_cpu_features` took away. Thread-safe.
std::uint32_t cpu_features() noexcept;

// What the processor has, whatever was masked (for display).
std::uint32_t cpu_features_unmasked() noexcept;

// Takes features away for the rest of the process (0 gives all back). For tests, and for switching
// hardware AES off. Not to be called while ciphers are being keyed in other threads.
void mask_cpu_features(std::uint32_t features_to_hide) noexcept;

// Reads VOLT_NO_HW_AES ("1": hide AES-NI and VAES) and VOLT_CPU_MASK (names as below, separated by
// commas) and masks accordingly. Programs call it first thing in main.
void apply_cpu_environment() noexcept;

// "sse2 ssse3 aesni avx2 vaes ...".
std::string cpu_feature_names(std::uint32_t features);

// The processor's brand string, e.g. "AMD EPYC 7763 64-Core Processor"; "unknown" elsewhere.
std::string cpu_brand();

}  // namespace volt
