// Declarations of every kernel that this build has. crypto/meson.build lists them: it passes
// VOLT_SIMD_KERNELS=X(name)X(name)..., in order of preference, for the kernels that it compiles;
// a file defines `extern const XtsKernel kernel_NAME`.
#pragma once

#include "crypto/modes/xts_kernel.h"

#ifndef VOLT_SIMD_KERNELS
#define VOLT_SIMD_KERNELS
#endif

// Rows that every build has: the last resort of each cipher.
#define VOLT_PORTABLE_KERNELS \
  X(aes_portable)             \
  X(aes128_portable)          \
  X(serpent_portable)         \
  X(twofish_portable)         \
  X(camellia_portable)        \
  X(kuznyechik_portable)

namespace volt {

#define X(name) extern const XtsKernel kernel_##name;
VOLT_SIMD_KERNELS
VOLT_PORTABLE_KERNELS
#undef X

}  // namespace volt
