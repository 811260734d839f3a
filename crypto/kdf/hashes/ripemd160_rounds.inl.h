// RIPEMD-160 (Dobbertin, Bosselaers, Preneel 1996; ISO/IEC 10118-3), one message or one a lane.
#pragma once

#include <utility>

#include "crypto/isa/word_ops.inl.h"

namespace volt {
namespace {

// Order of message words and rotations: left line, then right line.
constexpr std::uint8_t ripemd_word[2][80] = {
    {0,  1, 2,  3, 4,  5,  6, 7,  8, 9,  10, 11, 12, 13, 14, 15, 7,  4,  13, 1,
     10, 6, 15, 3, 12, 0,  9, 5,  2, 14, 11, 8,  3,  10, 14, 4,  9,  15, 8,  1,
     2,  7, 0,  6, 13, 11, 5, 12, 1, 9,  11, 10, 0,  8,  12, 4,  13, 3,  7,  15,
     14, 5, 6,  2, 4,  0,  5, 9,  7, 12, 2,  10, 14, 1,  3,  8,  11, 6,  15, 13},
    {5,  14, 7,  0,  9,  2,  11, 4,  13, 6, 15, 8, 1,  10, 3,  12, 6, 11, 3, 7,
     0,  13, 5,  10, 14, 15, 8,  12, 4,  9, 1,  2, 15, 5,  1,  3,  7, 14, 6, 9,
     11, 8,  12, 2,  10, 0,  4,  13, 8,  6, 4,  1, 3,  11, 15, 0,  5, 12, 2, 13,
     9,  7,  10, 14, 12, 15, 10, 4,  1,  5, 8,  7, 6,  2,  13, 14, 0, 3,  9, 11}};
constexpr std::uint8_t ripemd_rotation[2][80] = {
    {11, 14, 15, 12, 5, 8,  7,  9,  11, 13, 14, 15, 6,  7,  9,  8,  7,  6,  8,  13,
     11, 9,  7,  15, 7, 12, 15, 9,  11, 7,  13, 12, 11, 13, 6,  7,  14, 9,  13, 15,
     14, 8,  13, 6,  5, 12, 7,  5,  11, 12, 14, 15, 14, 15, 9,  8,  9,  14, 5,  6,
     8,  6,  5,  12, 9, 15, 5,  11, 6,  8,  13, 12, 5,  12, 13, 14, 11, 8,  5,  6},
    {8,  9,  9,  11, 13, 15, 15, 5, 7,  7,  8,  11, 14, 14, 12, 6,  9,  13, 15, 7,
     12, 8,  9,  11, 7,  7,  12, 7, 6,  15, 13, 11, 9,  7,  15, 11, 8,  6,  6,  14,
     12, 13, 5,  14, 13, 13, 7,  5, 15, 5,  8,  11, 14, 14, 6,  14, 6,  9,  12, 9,
     12, 5,  15, 8,  8,  5,  12, 9, 12, 5,  14, 6,  8,  13, 6,  5,  15, 13, 11, 11}};
constexpr std::uint32_t ripemd_k[2][5] = {
    {0x00000000, 0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xA953FD4E},
    {0x50A28BE6, 0x5C4DD124, 0x6D703EF3, 0x7A6D76E9, 0x00000000}};

// The five Boolean functions; the right line takes them backwards.
template <class Ops, int which>
VOLT_INLINE typename Ops::V ripemd_f(typename Ops::V x, typename Ops::V y, typename Ops::V z) {
  if constexpr (which == 0) return Ops::xor3(x, y, z);
  if constexpr (which == 1) return Ops::choose(x, y, z);
  if constexpr (which == 2) return Ops::or_not_xor(x, y, z);
  if constexpr (which == 3) return Ops::choose(z, x, y);
  if constexpr (which == 4) return Ops::or_not_xor(y, z, x);
}

// One step of one line. The five variables stay in place; their roles rotate with the step.
template <class Ops, int line, int step>
VOLT_INLINE void ripemd_step(typename Ops::V (&s)[5], const typename Ops::V* w) {
  constexpr int round = step / 16;
  constexpr int a = (80 - step) % 5, b = (a + 1) % 5, c = (a + 2) % 5, d = (a + 3) % 5;
  constexpr int e = (a + 4) % 5;
  s[a] += ripemd_f < Ops,
      line == 0 ? round : 4 - round > (s[b], s[c], s[d]) + w[ripemd_word[line][step]];
  if constexpr (ripemd_k[line][round] != 0) s[a] += Ops::broadcast(ripemd_k[line][round]);
  s[a] = Ops::template rotate_right<32 - ripemd_rotation[line][step]>(s[a]) + s[e];
  s[c] = Ops::template rotate_right<22>(s[c]);
}

template <class Ops, std::size_t... steps>
VOLT_INLINE void ripemd_lines(typename Ops::V (&left)[5], typename Ops::V (&right)[5],
                              const typename Ops::V* w, std::index_sequence<steps...>) {
  ((ripemd_step<Ops, 0, static_cast<int>(steps)>(left, w),
    ripemd_step<Ops, 1, static_cast<int>(steps)>(right, w)),
   ...);
}

struct Ripemd160 {
  using Word = std::uint32_t;
  static constexpr std::size_t words = 5;
  static constexpr bool big_endian = false;
  static constexpr Word pad_word = 0x80;
  static constexpr std::size_t length_word = 14;
  static constexpr Word iv[words] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};

  template <class Ops>
  static VOLT_INLINE void compress(typename Ops::V* state, typename Ops::V* w) {
    typename Ops::V left[5];
    typename Ops::V right[5];
    for (int i = 0; i < 5; ++i) left[i] = right[i] = state[i];
    ripemd_lines<Ops>(left, right, w, std::make_index_sequence<80>());
    const typename Ops::V first = state[1] + left[2] + right[3];
    state[1] = state[2] + left[3] + right[4];
    state[2] = state[3] + left[4] + right[0];
    state[3] = state[4] + left[0] + right[1];
    state[4] = state[0] + left[1] + right[2];
    state[0] = first;
  }
};

}  // namespace
}  // namespace volt
