// The compression function of Argon2 (RFC 9106, 3.5) on one instruction set.
#pragma once

#include <cstdint>

namespace volt {

inline constexpr int argon2_block_words = 128;  // 1 KiB

// The blocks of a lane that a reference may name (RFC 9106, 3.4.2): `count` of them from block
// `start` on, the lane's end being followed by its beginning.
struct Argon2Area {
  const std::uint64_t* lane;  // its first block
  std::uint32_t start;
  std::uint32_t count;
  std::uint32_t lane_blocks;
};

// The one that the pseudo-random J1 names. Internal linkage: kernels are compiled with different
// instruction sets.
static inline const std::uint64_t* argon2_reference(const Argon2Area& area,
                                                    std::uint32_t j1) noexcept {
  const std::uint64_t x = (std::uint64_t{j1} * j1) >> 32;
  const auto y = static_cast<std::uint32_t>((area.count * x) >> 32);
  std::uint64_t block = std::uint64_t{area.start} + area.count - 1 - y;
  if (block >= area.lane_blocks) block -= area.lane_blocks;
  return area.lane + block * argon2_block_words;
}

struct Argon2Kernel {
  const char* name;
  std::uint32_t required_features;  // set of CpuFeature
  // out = G(previous, reference), added (xor) to what `out` held where `add` is set. Blocks are
  // aligned to 64 bytes; `out` may be `reference`. Where `next` is given, the block that the first
  // word of `out` names there is on its way to the cache before this one is finished: memory, not
  // arithmetic, is what Argon2 waits for.
  void (*compress)(const std::uint64_t* previous, const std::uint64_t* reference,
                   std::uint64_t* out, bool add, const Argon2Area* next);
};

// The fastest row that runs with `features`.
const Argon2Kernel& select_argon2_kernel(std::uint32_t features) noexcept;

}  // namespace volt
