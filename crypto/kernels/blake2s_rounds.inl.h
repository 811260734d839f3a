// BLAKE2s-256 (RFC 7693), for one message or for one a lane.
#pragma once

#include <utility>

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/word_ops.inl.h"

namespace volt {
namespace {

constexpr std::uint8_t blake2s_sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

struct Blake2s {
  using Word = std::uint32_t;
  static constexpr std::size_t words = 8;
  static constexpr bool big_endian = false;
  static constexpr Word iv[words] = {
      0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
      0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
  };
  // First word of the parameter block: digest of 32 bytes, no key, fanout and depth 1.
  static constexpr Word parameters = 0x01010020;

  template <class Ops>
  static VOLT_INLINE void mix(typename Ops::V& a, typename Ops::V& b, typename Ops::V& c,
                              typename Ops::V& d, typename Ops::V x, typename Ops::V y) {
    a += b + x;
    d = Ops::template rotate_right<16>(d ^ a);
    c += d;
    b = Ops::template rotate_right<12>(b ^ c);
    a += b + y;
    d = Ops::template rotate_right<8>(d ^ a);
    c += d;
    b = Ops::template rotate_right<7>(b ^ c);
  }

  template <class Ops, std::size_t round>
  static VOLT_INLINE void round_of(typename Ops::V (&v)[16], const typename Ops::V* m) {
    constexpr const std::uint8_t* s = blake2s_sigma[round];
    mix<Ops>(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
    mix<Ops>(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
    mix<Ops>(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
    mix<Ops>(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
    mix<Ops>(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
    mix<Ops>(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
    mix<Ops>(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
    mix<Ops>(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
  }

  template <class Ops, std::size_t... rounds>
  static VOLT_INLINE void all_rounds(typename Ops::V (&v)[16], const typename Ops::V* m,
                                     std::index_sequence<rounds...>) {
    (round_of<Ops, rounds>(v, m), ...);
  }

  // `bytes` counts the message up to and with this block.
  template <class Ops>
  static VOLT_INLINE void compress(typename Ops::V* state, const typename Ops::V* m,
                                   std::uint64_t bytes, bool last) {
    typename Ops::V v[16];
    for (int i = 0; i < 8; ++i) {
      v[i] = state[i];
      v[i + 8] = Ops::broadcast(iv[i]);
    }
    v[12] ^= Ops::broadcast(static_cast<Word>(bytes));
    v[13] ^= Ops::broadcast(static_cast<Word>(bytes >> 32));
    if (last) v[14] = ~v[14];
    all_rounds<Ops>(v, m, std::make_index_sequence<10>());
    for (int i = 0; i < 8; ++i) state[i] = Ops::xor3(state[i], v[i], v[i + 8]);
  }
};

}  // namespace
}  // namespace volt
