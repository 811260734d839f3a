#include "crypto/kdf/pbkdf2/pbkdf2_table.h"

#include <algorithm>
#include <array>

// crypto/meson.build passes the SIMD rows that it compiles, as for the XTS kernels.
#ifndef VOLT_SIMD_PBKDF2
#define VOLT_SIMD_PBKDF2
#endif
#define VOLT_PORTABLE_PBKDF2 \
  X(sha512_portable)         \
  X(sha256_portable)         \
  X(blake2s_portable)        \
  X(whirlpool_portable)      \
  X(streebog_portable)       \
  X(ripemd160_portable)      \
  X(sha1_portable)

namespace volt {

#define X(name) extern const Pbkdf2Kernel pbkdf2_##name;
VOLT_SIMD_PBKDF2
VOLT_PORTABLE_PBKDF2
#undef X

namespace {

#define X(name) &pbkdf2_##name,
constexpr std::array kernels{VOLT_SIMD_PBKDF2 VOLT_PORTABLE_PBKDF2};
#undef X

}  // namespace

std::span<const Pbkdf2Kernel* const> all_pbkdf2_kernels() noexcept {
  return kernels;
}

const Pbkdf2Kernel* select_pbkdf2_kernel(PrfId prf, std::uint32_t features,
                                         std::size_t lanes) noexcept {
  const Pbkdf2Kernel* best = nullptr;
  std::size_t best_used = 1;
  for (const Pbkdf2Kernel* kernel : kernels) {
    if (kernel->prf != prf || (kernel->required_features & ~features) != 0) continue;
    const std::size_t used = std::min<std::size_t>(lanes, kernel->lanes);
    const bool safer = best != nullptr && best->reads_tables && !kernel->reads_tables;
    if (best != nullptr && !best->reads_tables && kernel->reads_tables) continue;
    if (best == nullptr || safer || kernel->cost_ns * best_used < best->cost_ns * used) {
      best = kernel;
      best_used = used;
    }
  }
  return best;
}

}  // namespace volt
