// Kuznyechik's constants: its field GF(2)[x] / (x^8 + x^7 + x^6 + x + 1) and its substitution.
#pragma once

#include <cstdint>
#include <type_traits>

#include "crypto/ciphers/gost_tables.inl.h"

namespace volt::kuznyechik {

// Section 4.1.2: the linear function's factors, for bytes in memory order: at(i) has factors[i].
// They are the same from both ends but for the last, which is why pairs are added first.
inline constexpr std::uint8_t factors[16] = {148, 32,  133, 16, 194, 192, 1,   251,
                                             1,   192, 194, 16, 133, 32,  148, 1};
inline constexpr int paired_factors = 6;  // factors[i] == factors[14 - i], i < 6, none of them 1

constexpr std::uint8_t product(unsigned a, unsigned b) {
  unsigned result = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) result ^= a;
    a = (a << 1) ^ ((a & 0x80) != 0 ? 0x1C3U : 0U);
  }
  return static_cast<std::uint8_t>(result);
}

struct InverseTable {
  std::uint8_t entry[256] = {};
  constexpr InverseTable() {
    for (int i = 0; i < 256; ++i) entry[gost_pi[i]] = static_cast<std::uint8_t>(i);
  }
};
inline constexpr InverseTable inverse_pi;

// A number as a type: the argument of combine's `at`.
template <int n>
using Number = std::integral_constant<int, n>;

}  // namespace volt::kuznyechik
