// Byte slicing: between blocks in memory, 32-bit words in lanes, and one register per byte
// position.
//
// Templates over an instruction set `Isa`, a struct of static functions on its vector type (see
// isa_avx2.inl.h). A set is as many blocks as the vector has bytes. All of it works inside 128-bit
// lanes, so the order of blocks in a set is not that of memory, but it is the same for every byte.
#pragma once

#include <cstdint>

namespace volt::byteslice {

// One word position of a set: 32-bit lanes in four registers.
template <class Isa>
struct Words {
  typename Isa::V v[4];
};

// The same word position by bytes: v[j] holds byte j (0 the least significant) of every word.
template <class Isa>
struct Bytes {
  typename Isa::V v[4];
};

// Four registers as the rows of 4x4 matrices of 32-bit words, one for each 128-bit lane.
template <class Isa>
[[gnu::always_inline]] inline void transpose_words(typename Isa::V (&x)[4]) {
  const auto low01 = Isa::unpack_low32(x[0], x[1]);
  const auto low23 = Isa::unpack_low32(x[2], x[3]);
  const auto high01 = Isa::unpack_high32(x[0], x[1]);
  const auto high23 = Isa::unpack_high32(x[2], x[3]);
  x[0] = Isa::unpack_low64(low01, low23);
  x[1] = Isa::unpack_high64(low01, low23);
  x[2] = Isa::unpack_low64(high01, high23);
  x[3] = Isa::unpack_high64(high01, high23);
}

template <class Isa>
[[gnu::always_inline]] inline Words<Isa> words_from_bytes(const Bytes<Isa>& b) {
  const auto low01 = Isa::unpack_low8(b.v[0], b.v[1]);
  const auto low23 = Isa::unpack_low8(b.v[2], b.v[3]);
  const auto high01 = Isa::unpack_high8(b.v[0], b.v[1]);
  const auto high23 = Isa::unpack_high8(b.v[2], b.v[3]);
  return {{Isa::unpack_low16(low01, low23), Isa::unpack_high16(low01, low23),
           Isa::unpack_low16(high01, high23), Isa::unpack_high16(high01, high23)}};
}

// The inverse of words_from_bytes.
template <class Isa>
[[gnu::always_inline]] inline Bytes<Isa> bytes_from_words(const Words<Isa>& w) {
  alignas(16) static constexpr std::uint8_t gather[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                          2, 6, 10, 14, 3, 7, 11, 15};
  const auto order = Isa::broadcast16(gather);
  Bytes<Isa> b;
  for (int i = 0; i < 4; ++i) b.v[i] = Isa::shuffle(w.v[i], order);
  transpose_words<Isa>(b.v);
  return b;
}

}  // namespace volt::byteslice
