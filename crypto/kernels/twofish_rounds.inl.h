// Twofish on byte-sliced sets of blocks (see byteslice.inl.h).
#pragma once

#include <cstdint>

#include "crypto/kernels/byteslice.inl.h"

namespace volt::twofish {

using byteslice::Bytes;
using byteslice::Words;

// `Boxes` holds the key-dependent part of an instruction set: its Key with subkey[40], and the byte
// functions `substitute` and `multiply`.
template <class Isa, class Boxes>
struct Rounds {
  using V = typename Isa::V;
  using W = Words<Isa>;
  using B = Bytes<Isa>;
  using Key = typename Boxes::Key;

  // The words MDS * s (section 4.2).
  [[gnu::always_inline]] static W mix_columns(const V (&s)[4]) {
    V p5b[4], pef[4];
    for (int j = 0; j < 4; ++j) Boxes::multiply(s[j], p5b[j], pef[j]);
    const B z = {{Isa::sum(s[0], pef[1], p5b[2], p5b[3]), Isa::sum(p5b[0], pef[1], pef[2], s[3]),
                  Isa::sum(pef[0], p5b[1], s[2], pef[3]), Isa::sum(pef[0], s[1], pef[2], p5b[3])}};
    return byteslice::words_from_bytes<Isa>(z);
  }

  // One round (section 4.1): r2 and r3 from r0 and r1.
  template <bool encrypting>
  [[gnu::always_inline]] static void round(const Key& key, int r, const W& r0, const W& r1, W& r2,
                                           W& r3) {
    const B x = byteslice::bytes_from_words<Isa>(r0);
    const B y = byteslice::bytes_from_words<Isa>(r1);
    V s0[4], s1[4];
    for (int j = 0; j < 4; ++j) {
      s0[j] = Boxes::substitute(key, j, x.v[j]);
      s1[j] = Boxes::substitute(key, j, y.v[(j + 3) & 3]);  // r1 rotated left by 8
    }
    const W t0 = mix_columns(s0);
    const W t1 = mix_columns(s1);
    const V k0 = Isa::set32(key.subkey[8 + 2 * r]);
    const V k1 = Isa::set32(key.subkey[9 + 2 * r]);
    for (int i = 0; i < 4; ++i) {
      const V sum = Isa::add32(t0.v[i], t1.v[i]);
      const V f0 = Isa::add32(sum, k0);
      const V f1 = Isa::add32(Isa::add32(sum, t1.v[i]), k1);
      if constexpr (encrypting) {
        r2.v[i] = Isa::rotate_right1(Isa::bit_xor(r2.v[i], f0));
        r3.v[i] = Isa::bit_xor(Isa::rotate_left1(r3.v[i]), f1);
      } else {
        r2.v[i] = Isa::bit_xor(Isa::rotate_left1(r2.v[i]), f0);
        r3.v[i] = Isa::rotate_right1(Isa::bit_xor(r3.v[i], f1));
      }
    }
  }

  // XORs masks onto a set of blocks, encrypts or decrypts it, and XORs the same masks again. Only
  // the first `groups` quarters of the set are there.
  template <bool encrypting, int groups = 4>
  static void crypt_set(const Key& key, const std::uint8_t* masks, const std::uint8_t* in,
                        std::uint8_t* out) {
    constexpr int first_key = encrypting ? 0 : 4;
    W r[4] = {};
    for (int i = 0; i < groups; ++i) {
      V x[4];
      for (int b = 0; b < 4; ++b) {
        const int offset = (4 * i + b) * Isa::bytes;
        x[b] = Isa::bit_xor(Isa::load(in + offset), Isa::load(masks + offset));
      }
      byteslice::transpose_words<Isa>(x);
      for (int w = 0; w < 4; ++w) {
        r[w].v[i] = Isa::bit_xor(x[w], Isa::set32(key.subkey[first_key + w]));
      }
    }
    for (int n = 0; n < 16; n += 2) {
      const int first = encrypting ? n : 15 - n;
      const int second = encrypting ? n + 1 : 14 - n;
      round<encrypting>(key, first, r[0], r[1], r[2], r[3]);
      round<encrypting>(key, second, r[2], r[3], r[0], r[1]);
    }
    for (int i = 0; i < groups; ++i) {
      V x[4];
      for (int w = 0; w < 4; ++w) {
        x[w] = Isa::bit_xor(r[(w + 2) & 3].v[i], Isa::set32(key.subkey[4 - first_key + w]));
      }
      byteslice::transpose_words<Isa>(x);
      for (int b = 0; b < 4; ++b) {
        const int offset = (4 * i + b) * Isa::bytes;
        Isa::store(out + offset, Isa::bit_xor(x[b], Isa::load(masks + offset)));
      }
    }
  }
};

}  // namespace volt::twofish
