// Twofish on byte-sliced sets of blocks (see byteslice.inl.h).
#pragma once

#include <cstdint>

#include "crypto/kernels/byteslice.inl.h"

namespace volt::twofish {

using byteslice::Bytes;
using byteslice::Words;

// `Boxes` is the part that instruction sets do differently: a Key that contains subkey[40], and the
// byte functions `substitute` (an S-box on two registers) and `mix` (the MDS matrix).
template <class Isa, class Boxes>
struct Rounds {
  using V = typename Isa::V;
  using W = Words<Isa>;
  using B = Bytes<Isa>;
  using Key = typename Boxes::Key;

  // One round (section 4.1): r2 and r3 from r0 and r1.
  template <bool encrypting>
  [[gnu::always_inline]] static void round(const Key& key, int r, const W& r0, const W& r1, W& r2,
                                           W& r3) {
    const B x = byteslice::bytes_from_words<Isa>(r0);
    const B y = byteslice::bytes_from_words<Isa>(r1);
    V s0[4], s1[4];
    for (int j = 0; j < 4; ++j) {
      s0[j] = x.v[j];
      s1[j] = y.v[(j + 3) & 3];  // r1 rotated left by 8
      Boxes::substitute(key, j, s0[j], s1[j]);
    }
    B z0, z1;
    Boxes::mix(s0, z0.v);
    Boxes::mix(s1, z1.v);
    const W t0 = byteslice::words_from_bytes<Isa>(z0);
    const W t1 = byteslice::words_from_bytes<Isa>(z1);
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

  // One set between its rounds.
  struct State {
    W r[4];
  };

  // Takes in the first `groups` quarters of a set of blocks, XORed with masks and whitened.
  template <int groups>
  [[gnu::always_inline]] static void take_in(const std::uint32_t* subkey, const std::uint8_t* masks,
                                             const std::uint8_t* in, State& state) {
    for (int i = 0; i < groups; ++i) {
      V x[4];
      for (int b = 0; b < 4; ++b) {
        const int offset = (4 * i + b) * Isa::bytes;
        x[b] = Isa::bit_xor(Isa::load(in + offset), Isa::load(masks + offset));
      }
      byteslice::transpose_words<Isa>(x);
      for (int w = 0; w < 4; ++w) state.r[w].v[i] = Isa::bit_xor(x[w], Isa::set32(subkey[w]));
    }
  }

  // The inverse of take_in, with the halves exchanged as after the last round.
  template <int groups>
  [[gnu::always_inline]] static void put_out(const std::uint32_t* subkey, const State& state,
                                             const std::uint8_t* masks, std::uint8_t* out) {
    for (int i = 0; i < groups; ++i) {
      V x[4];
      for (int w = 0; w < 4; ++w) {
        x[w] = Isa::bit_xor(state.r[(w + 2) & 3].v[i], Isa::set32(subkey[w]));
      }
      byteslice::transpose_words<Isa>(x);
      for (int b = 0; b < 4; ++b) {
        const int offset = (4 * i + b) * Isa::bytes;
        Isa::store(out + offset, Isa::bit_xor(x[b], Isa::load(masks + offset)));
      }
    }
  }

  // XORs masks onto `sets` sets of blocks, encrypts or decrypts them, and XORs the same masks
  // again. Rounds of two sets in turn keep the processor busy where one set waits for its own
  // results. Of a single set, only the first `groups` quarters need be there.
  template <bool encrypting, int sets, int groups = 4>
  static void crypt_sets(const Key& key, const std::uint8_t* masks, const std::uint8_t* in,
                         std::uint8_t* out) {
    constexpr int set_size = 16 * Isa::bytes;
    const std::uint32_t* first_subkey = key.subkey + (encrypting ? 0 : 4);
    const std::uint32_t* last_subkey = key.subkey + (encrypting ? 4 : 0);
    State state[sets] = {};
    for (int s = 0; s < sets; ++s) {
      take_in<groups>(first_subkey, masks + s * set_size, in + s * set_size, state[s]);
    }
    for (int n = 0; n < 16; n += 2) {
      const int first = encrypting ? n : 15 - n;
      const int second = encrypting ? n + 1 : 14 - n;
      for (State& x : state) round<encrypting>(key, first, x.r[0], x.r[1], x.r[2], x.r[3]);
      for (State& x : state) round<encrypting>(key, second, x.r[2], x.r[3], x.r[0], x.r[1]);
    }
    for (int s = 0; s < sets; ++s) {
      put_out<groups>(last_subkey, state[s], masks + s * set_size, out + s * set_size);
    }
  }
};

}  // namespace volt::twofish
