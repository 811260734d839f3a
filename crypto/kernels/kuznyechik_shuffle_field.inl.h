// Kuznyechik's byte functions by 16-entry shuffles, for instruction sets that have no more.
#pragma once

#include <cstdint>
#include <utility>

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/kuznyechik_field.inl.h"

namespace volt::kuznyechik {

// The substitution by rows of 16. Where the instruction set's `select` adds instead of choosing,
// a row holds the sum over all rows whose number is a subset of its own.
struct SubstitutionRows {
  alignas(16) std::uint8_t row[16][16] = {};

  constexpr SubstitutionRows(const std::uint8_t* table, bool select_adds) {
    for (int i = 0; i < 256; ++i) row[i / 16][i % 16] = table[i];
    if (!select_adds) return;
    for (int bit = 1; bit < 16; bit *= 2) {
      for (int r = 0; r < 16; ++r) {
        if ((r & bit) == 0) continue;
        for (int i = 0; i < 16; ++i) row[r][i] = row[r][i] ^ row[r - bit][i];
      }
    }
  }
};

// Products of a factor and each nibble, low and high.
struct NibbleProducts {
  alignas(16) std::uint8_t low[8][16] = {};
  alignas(16) std::uint8_t high[8][16] = {};

  constexpr NibbleProducts() {
    for (int f = 0; f < 8; ++f) {
      for (unsigned i = 0; i < 16; ++i) {
        low[f][i] = product(factors[f], i);
        high[f][i] = product(factors[f], 16 * i);
      }
    }
  }
};
inline constexpr NibbleProducts nibble_products;

template <class Isa>
struct ShuffleField {
  using V = typename Isa::V;
  static constexpr SubstitutionRows rows[2] = {{inverse_pi.entry, Isa::select_adds},
                                               {gost_pi, Isa::select_adds}};

  // Nibbles are split once and added apart.
  struct Byte {
    V whole, low, high;
  };

  static VOLT_INLINE Byte byte_of(V v) {
    const V nibble = Isa::set8(15);
    Byte byte = {v, Isa::bit_and(v, nibble),
                 Isa::bit_and(Isa::template shift_right16<4>(v), nibble)};
    // Otherwise compilers rewrite a sum of masked nibbles as a masked sum, and mask it every time.
    Isa::opaque(byte.low, byte.high);
    return byte;
  }
  static VOLT_INLINE V whole(const Byte& byte) { return byte.whole; }

  template <int factor>
  static VOLT_INLINE V times(V low, V high) {
    return Isa::bit_xor(Isa::shuffle(Isa::broadcast16(nibble_products.low[factor]), low),
                        Isa::shuffle(Isa::broadcast16(nibble_products.high[factor]), high));
  }

  template <int... pair, class At>
  static VOLT_INLINE V sum_of_pairs(At at, std::integer_sequence<int, pair...>) {
    V sum = Isa::bit_xor(Isa::bit_xor(at(Number<6>()).whole, at(Number<8>()).whole),
                         at(Number<15>()).whole);
    ((sum = Isa::bit_xor(
          sum, times<pair>(Isa::bit_xor(at(Number<pair>()).low, at(Number<14 - pair>()).low),
                           Isa::bit_xor(at(Number<pair>()).high, at(Number<14 - pair>()).high)))),
     ...);
    return Isa::bit_xor(sum, times<7>(at(Number<7>()).low, at(Number<7>()).high));
  }

  template <class At>
  static VOLT_INLINE V combine(At at) {
    return sum_of_pairs(at, std::make_integer_sequence<int, paired_factors>());
  }

  // Sixteen look-ups by the low nibble, and a tree that chooses by the high one.
  template <bool encrypting>
  static VOLT_INLINE V substitute(V v) {
    const auto& table = rows[encrypting ? 1 : 0].row;
    const V index = Isa::bit_and(v, Isa::set8(15));
    const V bit6 = Isa::add8(v, v), bit5 = Isa::add8(bit6, bit6), bit4 = Isa::add8(bit5, bit5);
    const V choice[4] = {Isa::selector(bit4), Isa::selector(bit5), Isa::selector(bit6),
                         Isa::selector(v)};
    return choose<4>(table, 0, index, choice);
  }

  template <int level>
  static VOLT_INLINE V choose(const std::uint8_t (&table)[16][16], int first, V index,
                              const V (&choice)[4]) {
    if constexpr (level == 0) {
      return Isa::shuffle(Isa::broadcast16(table[first]), index);
    } else {
      const V zero = choose<level - 1>(table, first, index, choice);
      const V one = choose<level - 1>(table, first + (1 << (level - 1)), index, choice);
      return Isa::select(zero, one, choice[level - 1]);
    }
  }
};

}  // namespace volt::kuznyechik
