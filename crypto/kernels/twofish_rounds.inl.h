// Twofish on byte-sliced sets of blocks (see byteslice.inl.h), templated on the instruction set.
//
// No look-up by a secret address: an S-box of 256 bytes is sixteen shuffles of 16 entries, and a
// tree of selections by the index's upper bits.
#pragma once

#include <cstdint>

#include "crypto/kernels/byteslice.inl.h"
#include "crypto/kernels/twofish_schedule.h"

namespace volt::twofish {

using byteslice::Bytes;
using byteslice::Words;

// One expanded key as the shuffles want it: entries 16 * row to 16 * row + 15 of S-box j.
struct SlicedKey {
  alignas(64) std::uint8_t row[16][4][16];
  std::uint32_t subkey[40];
};

// Without templates these need internal linkage (see xts_kernel.h).
namespace {

// Products by 5B and EF in GF(2^8) modulo 0x169 of the 16 low and the 16 high nibbles.
struct MdsTables {
  alignas(16) std::uint8_t low5b[16];
  alignas(16) std::uint8_t high5b[16];
  alignas(16) std::uint8_t lowef[16];
  alignas(16) std::uint8_t highef[16];
};

constexpr std::uint8_t mds_product(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; a != 0; a >>= 1) {
    if ((a & 1) != 0) product ^= b;
    b = (b << 1) ^ ((b & 0x80) != 0 ? 0x169U : 0U);
  }
  return static_cast<std::uint8_t>(product);
}

constexpr MdsTables make_mds_tables() {
  MdsTables tables{};
  for (unsigned i = 0; i < 16; ++i) {
    tables.low5b[i] = mds_product(0x5B, i);
    tables.high5b[i] = mds_product(0x5B, i << 4);
    tables.lowef[i] = mds_product(0xEF, i);
    tables.highef[i] = mds_product(0xEF, i << 4);
  }
  return tables;
}

}  // namespace

template <class Isa>
struct Rounds {
  using V = typename Isa::V;
  using W = Words<Isa>;
  using B = Bytes<Isa>;

  static constexpr MdsTables mds_tables = make_mds_tables();

  // An index in the forms that the shuffles of `substitute` take. A shuffle gives 0 where bit 7 of
  // its index is set; so bit 7 and bit 4 select by zeros, bits 6 and 5 by masks.
  struct Index {
    V low;       // 0 unless bit 7 is clear
    V low_odd;   // 0 unless bit 7 is clear and bit 4 set
    V high;      // 0 unless bit 7 is set
    V high_odd;  // 0 unless bits 7 and 4 are set
    V bit6;
    V bit5;
  };

  [[gnu::always_inline]] static Index make_index(V x) {
    const V top = Isa::set8(0x80);
    const V x2 = Isa::add8(x, x);
    const V x4 = Isa::add8(x2, x2);
    const V x8 = Isa::add8(x4, x4);
    const V even = Isa::and_not(x8, top);
    const V high = Isa::bit_xor(x, top);
    return {x,
            Isa::bit_or(x, even),
            high,
            Isa::bit_or(high, even),
            Isa::selector(x2),
            Isa::selector(x4)};
  }

  // The entries for one value of bits 6 and 5.
  [[gnu::always_inline]] static V quarter(const SlicedKey& key, int j, int r, const Index& x) {
    return sum(Isa::shuffle(Isa::broadcast16(key.row[r][j]), x.low),
               Isa::shuffle(Isa::broadcast16(key.row[r + 1][j]), x.low_odd),
               Isa::shuffle(Isa::broadcast16(key.row[r + 8][j]), x.high),
               Isa::shuffle(Isa::broadcast16(key.row[r + 9][j]), x.high_odd));
  }

  // S-box `j` of every byte of `x`.
  [[gnu::always_inline]] static V substitute(const SlicedKey& key, int j, V in) {
    const Index x = make_index(in);
    const V a4 = Isa::select(quarter(key, j, 0, x), quarter(key, j, 4, x), x.bit6);
    const V a6 = Isa::select(quarter(key, j, 2, x), quarter(key, j, 6, x), x.bit6);
    return Isa::select(a4, a6, x.bit5);
  }

  [[gnu::always_inline]] static V sum(V a, V b, V c, V d) {
    return Isa::bit_xor(Isa::bit_xor(a, b), Isa::bit_xor(c, d));
  }

  // The words MDS * s (section 4.2).
  [[gnu::always_inline]] static W mix_columns(const V (&s)[4]) {
    V p5b[4], pef[4];
    const V nibble = Isa::set8(0x0F);
    for (int j = 0; j < 4; ++j) {
      const V low = Isa::bit_and(s[j], nibble);
      const V high = Isa::bit_and(Isa::template shift_right16<4>(s[j]), nibble);
      p5b[j] = Isa::bit_xor(Isa::shuffle(Isa::broadcast16(mds_tables.low5b), low),
                            Isa::shuffle(Isa::broadcast16(mds_tables.high5b), high));
      pef[j] = Isa::bit_xor(Isa::shuffle(Isa::broadcast16(mds_tables.lowef), low),
                            Isa::shuffle(Isa::broadcast16(mds_tables.highef), high));
    }
    const B z = {{sum(s[0], pef[1], p5b[2], p5b[3]), sum(p5b[0], pef[1], pef[2], s[3]),
                  sum(pef[0], p5b[1], s[2], pef[3]), sum(pef[0], s[1], pef[2], p5b[3])}};
    return byteslice::words_from_bytes<Isa>(z);
  }

  // One round (section 4.1): r2 and r3 from r0 and r1.
  template <bool encrypting>
  [[gnu::always_inline]] static void round(const SlicedKey& key, int r, const W& r0, const W& r1,
                                           W& r2, W& r3) {
    const B x = byteslice::bytes_from_words<Isa>(r0);
    const B y = byteslice::bytes_from_words<Isa>(r1);
    V s0[4], s1[4];
    for (int j = 0; j < 4; ++j) {
      s0[j] = substitute(key, j, x.v[j]);
      s1[j] = substitute(key, j, y.v[(j + 3) & 3]);  // r1 rotated left by 8
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

  // XORs masks onto a set of blocks, encrypts or decrypts it, and XORs the same masks again.
  template <bool encrypting>
  static void crypt_set(const SlicedKey& key, const std::uint8_t* masks, const std::uint8_t* in,
                        std::uint8_t* out) {
    constexpr int first_key = encrypting ? 0 : 4;
    W r[4];
    for (int i = 0; i < 4; ++i) {
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
    for (int i = 0; i < 4; ++i) {
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
