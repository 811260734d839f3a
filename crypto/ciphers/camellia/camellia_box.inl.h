// Camellia's S-boxes as inversions in the field of AES between two affine maps.
//
// RFC 3713 gives s1 as a table; by construction ("Specification of Camellia", 4.4) it is an
// inversion in GF(2^8) between affine maps. The columns here were found by carrying its field over
// to that of AES, GF(2)[x] / (x^8 + x^4 + x^3 + x + 1).
#pragma once

#include <cstdint>

namespace volt::camellia {

// bits of x -> sum of columns, plus a constant
struct Affine {
  std::uint8_t column[8];
  std::uint8_t constant;

  constexpr std::uint8_t operator()(unsigned x) const {
    unsigned y = constant;
    for (int i = 0; i < 8; ++i) y ^= (0U - ((x >> i) & 1U)) & column[i];
    return static_cast<std::uint8_t>(y);
  }
};

inline constexpr Affine before_inversion = {{0xB8, 0x03, 0xD9, 0x17, 0x0D, 0x59, 0x84, 0xEE}, 0x0B};
inline constexpr Affine after_inversion = {{0x14, 0x46, 0xFC, 0x7E, 0x66, 0x22, 0x25, 0x3B}, 0x6E};

constexpr std::uint8_t rotated(unsigned x, int n) {
  return static_cast<std::uint8_t>(x << n | x >> (8 - n));
}

// Box `box` (1 to 4) is s1 with its input or output rotated: s2(x) = s1(x) <<< 1,
// s3(x) = s1(x) <<< 7, s4(x) = s1(x <<< 1).
constexpr Affine input_map(int box) {
  Affine map = before_inversion;
  if (box == 4) {
    for (int i = 0; i < 8; ++i) map.column[i] = before_inversion.column[(i + 1) % 8];
  }
  return map;
}

constexpr Affine output_map(int box) {
  Affine map = after_inversion;
  const int n = box == 2 ? 1 : box == 3 ? 7 : 0;
  for (std::uint8_t& column : map.column) column = rotated(column, n);
  map.constant = rotated(map.constant, n);
  return map;
}

}  // namespace volt::camellia
