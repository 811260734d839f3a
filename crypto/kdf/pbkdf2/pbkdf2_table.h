// The list of PBKDF2 kernels, and their choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crypto/kdf/pbkdf2/pbkdf2_kernel.h"

namespace volt {

// Every row that was compiled in, whether or not this processor can run it. Each PRF but Argon2id
// has a row "portable" with one lane.
std::span<const Pbkdf2Kernel* const> all_pbkdf2_kernels() noexcept;

// The row that does the next of `lanes` pending lanes at the least time a lane, of those that run
// with `features`; one that reads tables by secrets only where there is no other. Null for
// Argon2id.
const Pbkdf2Kernel* select_pbkdf2_kernel(PrfId prf, std::uint32_t features,
                                         std::size_t lanes) noexcept;

}  // namespace volt
