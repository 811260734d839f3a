// The one list of kernels, fastest first for each cipher.
#pragma once

#include <cstdint>
#include <span>

#include "crypto/modes/xts_kernel.h"

namespace volt {

// Every kernel that was compiled in, whether or not this processor can run it. For one cipher the
// rows stand in order of preference; the last is "portable".
std::span<const XtsKernel* const> all_kernels() noexcept;

// The first row for `cipher` whose required features are all in `features` (usually
// cpu_features()). A constant-time row is preferred to one that is not. Never null for the XTS
// ciphers (aes, serpent, twofish, camellia, kuznyechik); null for the others.
const XtsKernel* select_kernel(CipherId cipher, std::uint32_t features) noexcept;

// The row with that name, or null.
const XtsKernel* find_kernel(CipherId cipher, const char* name) noexcept;

}  // namespace volt
