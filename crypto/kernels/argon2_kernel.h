// The compression function of Argon2 (RFC 9106, 3.5) on one instruction set.
#pragma once

#include <cstdint>

namespace volt {

inline constexpr int argon2_block_words = 128;  // 1 KiB

struct Argon2Kernel {
  const char* name;
  std::uint32_t required_features;  // set of CpuFeature
  // out = G(previous, reference), added (xor) to what `out` held where `add` is set. Blocks are
  // aligned to 64 bytes; `out` may be `reference`.
  void (*compress)(const std::uint64_t* previous, const std::uint64_t* reference,
                   std::uint64_t* out, bool add);
};

// The fastest row that runs with `features`.
const Argon2Kernel& select_argon2_kernel(std::uint32_t features) noexcept;

}  // namespace volt
