// Twofish key expansion for 256-bit keys, shared by all Twofish kernels.
#pragma once

#include <cstdint>

namespace volt {

// One expanded key (Schneier et al., "Twofish: A 128-Bit Block Cipher", 1998, section 4.3).
struct TwofishKey {
  // The key-dependent S-boxes: g(X) = MDS * (s_box[0][x0], s_box[1][x1], s_box[2][x2],
  // s_box[3][x3]) for the bytes x0 (least significant) to x3 of X.
  std::uint8_t s_box[4][256];
  // K0..K39: 0..3 input whitening, 4..7 output whitening, 8 + 2r and 9 + 2r round r.
  std::uint32_t subkey[40];
};

// Expands a 32-byte key. Constant time: the q-permutations are computed on bit planes, not looked
// up. Temporaries are wiped; the caller wipes `expanded`. Thread-safe.
void expand_twofish_key(const std::uint8_t* key, TwofishKey& expanded) noexcept;

}  // namespace volt
