// SHA-1 (FIPS 180-4, 6.1): only the first TrueCrypt versions' volumes use it.
#pragma once

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/word_ops.inl.h"

namespace volt {
namespace {

struct Sha1 {
  using Word = std::uint32_t;
  static constexpr std::size_t words = 5;
  static constexpr bool big_endian = true;
  static constexpr Word pad_word = Word{1} << 31;
  static constexpr std::size_t length_word = 15;
  static constexpr Word iv[words] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  static constexpr Word k[4] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};

  template <class Ops>
  static VOLT_INLINE typename Ops::V mix(int quarter, typename Ops::V x, typename Ops::V y,
                                         typename Ops::V z) {
    if (quarter == 0) return Ops::choose(x, y, z);
    if (quarter == 2) return Ops::majority(x, y, z);
    return Ops::xor3(x, y, z);
  }

  template <class Ops>
  static VOLT_INLINE void compress(typename Ops::V* state, typename Ops::V* w) {
    using V = typename Ops::V;
    V a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int t = 0; t < 80; ++t) {
      const int i = t & 15;
      if (t >= 16) {
        w[i] = Ops::template rotate_right<31>(
            Ops::xor3(w[(i + 13) & 15], w[(i + 8) & 15], w[(i + 2) & 15] ^ w[i]));
      }
      const V next = Ops::template rotate_right<27>(a) + mix<Ops>(t / 20, b, c, d) + e + w[i] +
                     Ops::broadcast(k[t / 20]);
      e = d;
      d = c;
      c = Ops::template rotate_right<2>(b);
      b = a;
      a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
  }
};

}  // namespace
}  // namespace volt
