// Randomness from the kernel.
#pragma once

#include "crypto/base/bytes.h"
#include "crypto/base/result.h"

namespace volt {

// Fills `out` with bytes fit for keys (getrandom(2), blocking until the pool is seeded).
// Thread-safe. Fails only where the kernel has no getrandom.
Status random_bytes(MutableByteSpan out) noexcept;

}  // namespace volt
