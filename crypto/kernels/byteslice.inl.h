// Byte slicing: between blocks in memory, 32-bit words in lanes, and one register per byte
// position.
//
// Templates over an instruction set `Isa`, a struct of static functions on its vector type (see
// isa/avx2.inl.h). A set is as many blocks as the vector has bytes. All of it works inside 128-bit
// lanes, so the order of blocks in a set is not that of memory, but it is the same for every byte.
#pragma once

#include <cstdint>

#include "crypto/isa/words.inl.h"

namespace volt::byteslice {

// Four registers as the rows of 4x4 matrices of 32-bit words, one for each 128-bit lane.
template <class Isa>
VOLT_INLINE void transpose_words(typename Isa::V (&x)[4]) {
  const auto low01 = Isa::unpack_low32(x[0], x[1]);
  const auto low23 = Isa::unpack_low32(x[2], x[3]);
  const auto high01 = Isa::unpack_high32(x[0], x[1]);
  const auto high23 = Isa::unpack_high32(x[2], x[3]);
  x[0] = Isa::unpack_low64(low01, low23);
  x[1] = Isa::unpack_high64(low01, low23);
  x[2] = Isa::unpack_low64(high01, high23);
  x[3] = Isa::unpack_high64(high01, high23);
}

// The bytes of four 32-bit words, byte 0 (the least significant) of each first.
struct ByteOrder {
  alignas(16) std::uint8_t index[16];
};
inline constexpr ByteOrder plain_order = {{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}};
// The same of the words rotated left by 8 bits.
inline constexpr ByteOrder rotated_order = {{3, 7, 11, 15, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14}};

// Words in 32-bit lanes of four registers become byte j of every word in x[j]; the first two
// registers by one order, the last two by another.
template <class Isa>
VOLT_INLINE void bytes_from_words(typename Isa::V (&x)[4], const ByteOrder& first,
                                  const ByteOrder& last) {
  x[0] = Isa::shuffle(x[0], Isa::broadcast16(first.index));
  x[1] = Isa::shuffle(x[1], Isa::broadcast16(first.index));
  x[2] = Isa::shuffle(x[2], Isa::broadcast16(last.index));
  x[3] = Isa::shuffle(x[3], Isa::broadcast16(last.index));
  transpose_words<Isa>(x);
}

// The inverse of bytes_from_words with plain_order.
template <class Isa>
VOLT_INLINE void words_from_bytes(typename Isa::V (&x)[4]) {
  const auto low01 = Isa::unpack_low8(x[0], x[1]);
  const auto low23 = Isa::unpack_low8(x[2], x[3]);
  const auto high01 = Isa::unpack_high8(x[0], x[1]);
  const auto high23 = Isa::unpack_high8(x[2], x[3]);
  x[0] = Isa::unpack_low16(low01, low23);
  x[1] = Isa::unpack_high16(low01, low23);
  x[2] = Isa::unpack_low16(high01, high23);
  x[3] = Isa::unpack_high16(high01, high23);
}

}  // namespace volt::byteslice
