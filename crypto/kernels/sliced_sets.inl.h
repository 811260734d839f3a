// Sets of blocks between memory and byte-sliced registers.
#pragma once

#include <cstdint>

#include "crypto/isa/words.inl.h"

namespace volt::byteslice {

// An instruction set (isa/avx2.inl.h) with loads and stores of whole sets: register i gets byte i
// of every block. Only the first `quarters` quarters of a set are there; the rest is zero.
template <class Isa>
struct Sliced : Isa {
  using V = typename Isa::V;

  static VOLT_INLINE void turn(const V (&s)[16], V (&t)[16]) {
    for (int i = 0; i < 8; ++i) {
      t[2 * i] = Isa::unpack_low8(s[i], s[i + 8]);
      t[2 * i + 1] = Isa::unpack_high8(s[i], s[i + 8]);
    }
  }

  // Sixteen blocks in each 128-bit lane, a block a row. Each step turns the eight bits of
  // (row, column) by one place; four of them exchange rows and columns, and are their own inverse.
  static VOLT_INLINE void transpose(V (&s)[16]) {
    V t[16];
    turn(s, t);
    turn(t, s);
    turn(s, t);
    turn(t, s);
  }

  template <int quarters>
  static VOLT_INLINE void load_set(V (&s)[16], const std::uint8_t* in, const std::uint8_t* masks) {
    for (int i = 0; i < 4 * quarters; ++i) {
      s[i] = Isa::bit_xor(Isa::load(in + i * Isa::bytes), Isa::load(masks + i * Isa::bytes));
    }
    for (int i = 4 * quarters; i < 16; ++i) s[i] = Isa::set32(0);
    transpose(s);
  }

  template <int quarters>
  static VOLT_INLINE void store_set(V (&s)[16], std::uint8_t* out, const std::uint8_t* masks) {
    transpose(s);
    for (int i = 0; i < 4 * quarters; ++i) {
      Isa::store(out + i * Isa::bytes, Isa::bit_xor(s[i], Isa::load(masks + i * Isa::bytes)));
    }
  }
};

}  // namespace volt::byteslice
