// The one list of kernels, fastest first for each cipher.
#pragma once

#include <cstdint>
#include <span>

#include "crypto/modes/xts_kernel.h"

namespace volt {

// Every kernel of this build, whether or not this processor can run it, but for rows on a Botan
// that was built without their cipher. For one cipher the rows stand in order of preference; the
// last is "portable" where Botan does not lack it.
std::span<const XtsKernel* const> all_kernels() noexcept;

// The first row for `cipher` whose required features are all in `features` (usually
// cpu_features()). A constant-time row is preferred to one that is not. Never null for aes, aes128
// and kuznyechik; null for serpent, twofish and camellia only where neither the processor nor Botan
// helps, and for the other ciphers, which have no XTS.
const XtsKernel* select_kernel(CipherId cipher, std::uint32_t features) noexcept;

// The row with that name, or null.
const XtsKernel* find_kernel(CipherId cipher, const char* name) noexcept;

// The row's functions for data units of that size.
const XtsKernel::UnitsFunctions& units_functions(const XtsKernel& kernel, DataUnit unit) noexcept;

}  // namespace volt
