// What this processor and its operating system let us use, and a way to take features away.
#pragma once

#include <cstdint>
#include <string>

#include "crypto/isa/feature_bits.h"

namespace volt {

// Feature sets by role, whatever a processor's makers call it: sets of CpuFeature, of which a
// family of processors has its own. A processor has a role if it has any of its features.
inline constexpr std::uint32_t cpu_wide_aes_rounds = cpu_vaes;  // on several blocks at once
inline constexpr std::uint32_t cpu_aes_rounds = cpu_aesni | cpu_armv8_aes | cpu_wide_aes_rounds;
inline constexpr std::uint32_t cpu_sha_rounds = cpu_sha;
inline constexpr std::uint32_t cpu_vectors256 = cpu_avx2;
inline constexpr std::uint32_t cpu_vectors512 = cpu_avx512f;

// What kernels are chosen by. A wide feature counts only where the operating system saves its
// registers. Probed once; less what `mask_cpu_features` took away. Thread-safe.
std::uint32_t cpu_features() noexcept;

// What the processor has, whatever was masked (for display).
std::uint32_t cpu_features_unmasked() noexcept;

// Takes features away for the rest of the process (0 gives all back). For tests, and for switching
// hardware AES off. Not to be called while ciphers are being keyed in other threads.
void mask_cpu_features(std::uint32_t features_to_hide) noexcept;

// Reads VOLT_NO_HW_AES ("1": hide cpu_aes_rounds) and VOLT_CPU_MASK (names as below, separated by
// commas) and masks accordingly. Programs call it first thing in main.
void apply_cpu_environment() noexcept;

// "sse2 ssse3 aesni avx2 vaes ...".
std::string cpu_feature_names(std::uint32_t features);

// The processor's brand string, e.g. "AMD EPYC 7763 64-Core Processor"; "unknown" elsewhere.
std::string cpu_brand();

}  // namespace volt
