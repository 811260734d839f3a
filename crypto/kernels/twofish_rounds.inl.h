// Twofish on byte-sliced sets of blocks (see byteslice.inl.h).
#pragma once

#include <cstdint>

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/byteslice.inl.h"

namespace volt::twofish {

// `Boxes` is the part that instruction sets do differently: a Key that contains subkey[40], and the
// byte functions `substitute` (an S-box on registers that hold the same byte position) and `mix`
// (the MDS matrix).
template <class Isa, class Boxes>
struct Rounds {
  using V = typename Isa::V;
  using Key = typename Boxes::Key;

  // A set between its rounds: 32-bit word w of its blocks in `width` registers r[w]. A whole set is
  // four registers wide, a half set two.
  template <int width>
  struct State {
    V r[4][width];
  };

  // g of two words (section 4.1): x becomes T0, y becomes T1.
  static VOLT_INLINE void apply_g(const Key& key, V (&x)[4], V (&y)[4]) {
    byteslice::bytes_from_words<Isa>(x, byteslice::plain_order, byteslice::plain_order);
    byteslice::bytes_from_words<Isa>(y, byteslice::rotated_order, byteslice::rotated_order);
    for (int j = 0; j < 4; ++j) {
      V pair[2] = {x[j], y[j]};
      Boxes::substitute(key, j, pair);
      x[j] = pair[0];
      y[j] = pair[1];
    }
    Boxes::mix(x);
    Boxes::mix(y);
    byteslice::words_from_bytes<Isa>(x);
    byteslice::words_from_bytes<Isa>(y);
  }

  // The same for half a set, whose two words fill one set of registers.
  static VOLT_INLINE void apply_g(const Key& key, V (&x)[2], V (&y)[2]) {
    V both[4] = {x[0], x[1], y[0], y[1]};
    byteslice::bytes_from_words<Isa>(both, byteslice::plain_order, byteslice::rotated_order);
    for (int j = 0; j < 4; ++j) {
      V one[1] = {both[j]};
      Boxes::substitute(key, j, one);
      both[j] = one[0];
    }
    Boxes::mix(both);
    byteslice::words_from_bytes<Isa>(both);
    x[0] = both[0];
    x[1] = both[1];
    y[0] = both[2];
    y[1] = both[3];
  }

  // One round (section 4.1): r2 and r3 from r0 and r1.
  template <bool encrypting, int width>
  static VOLT_INLINE void round(const Key& key, int r, const V (&r0)[width], const V (&r1)[width],
                                V (&r2)[width], V (&r3)[width]) {
    V t0[width], t1[width];
    for (int i = 0; i < width; ++i) {
      t0[i] = r0[i];
      t1[i] = r1[i];
    }
    apply_g(key, t0, t1);
    const V k0 = Isa::set32(key.subkey[8 + 2 * r]);
    const V k1 = Isa::set32(key.subkey[9 + 2 * r]);
    for (int i = 0; i < width; ++i) {
      const V sum = Isa::add32(t0[i], t1[i]);
      const V f0 = Isa::add32(sum, k0);
      const V f1 = Isa::add32(Isa::add32(sum, t1[i]), k1);
      if constexpr (encrypting) {
        r2[i] = Isa::template rotate_right32<1>(Isa::bit_xor(r2[i], f0));
        r3[i] = Isa::bit_xor(Isa::template rotate_left32<1>(r3[i]), f1);
      } else {
        r2[i] = Isa::bit_xor(Isa::template rotate_left32<1>(r2[i]), f0);
        r3[i] = Isa::template rotate_right32<1>(Isa::bit_xor(r3[i], f1));
      }
    }
  }

  // Takes in a set of blocks, XORed with masks and whitened.
  template <int width>
  static VOLT_INLINE void take_in(const std::uint32_t* subkey, const std::uint8_t* masks,
                                  const std::uint8_t* in, State<width>& state) {
    for (int i = 0; i < width; ++i) {
      V x[4];
      for (int b = 0; b < 4; ++b) {
        const int offset = (4 * i + b) * Isa::bytes;
        x[b] = Isa::bit_xor(Isa::load(in + offset), Isa::load(masks + offset));
      }
      byteslice::transpose_words<Isa>(x);
      for (int w = 0; w < 4; ++w) state.r[w][i] = Isa::bit_xor(x[w], Isa::set32(subkey[w]));
    }
  }

  // The inverse of take_in, with the halves exchanged as after the last round.
  template <int width>
  static VOLT_INLINE void put_out(const std::uint32_t* subkey, const State<width>& state,
                                  const std::uint8_t* masks, std::uint8_t* out) {
    for (int i = 0; i < width; ++i) {
      V x[4];
      for (int w = 0; w < 4; ++w) {
        x[w] = Isa::bit_xor(state.r[(w + 2) & 3][i], Isa::set32(subkey[w]));
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
  // results. A set has 4 * Isa::bytes * width bytes.
  template <bool encrypting, int sets, int width>
  static void crypt_sets(const Key& key, const std::uint8_t* masks, const std::uint8_t* in,
                         std::uint8_t* out) {
    constexpr int set_size = 4 * Isa::bytes * width;
    const std::uint32_t* first_subkey = key.subkey + (encrypting ? 0 : 4);
    const std::uint32_t* last_subkey = key.subkey + (encrypting ? 4 : 0);
    State<width> state[sets];
    for (int s = 0; s < sets; ++s) {
      take_in(first_subkey, masks + s * set_size, in + s * set_size, state[s]);
    }
    for (int n = 0; n < 16; n += 2) {
      const int first = encrypting ? n : 15 - n;
      const int second = encrypting ? n + 1 : 14 - n;
      for (auto& x : state) round<encrypting>(key, first, x.r[0], x.r[1], x.r[2], x.r[3]);
      for (auto& x : state) round<encrypting>(key, second, x.r[2], x.r[3], x.r[0], x.r[1]);
    }
    for (int s = 0; s < sets; ++s) {
      put_out(last_subkey, state[s], masks + s * set_size, out + s * set_size);
    }
  }
};

}  // namespace volt::twofish
