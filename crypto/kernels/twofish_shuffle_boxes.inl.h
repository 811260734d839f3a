// Twofish's byte functions by shuffles of 16 entries: S-boxes and products for the MDS matrix.
//
// No look-up by a secret address: an S-box of 256 bytes is sixteen shuffles, joined by the index's
// upper bits.
#pragma once

#include <cstdint>

#include "crypto/kernels/twofish_schedule.h"

namespace volt::twofish {

// One expanded key as the shuffles want it: entries 16 * row to 16 * row + 15 of S-box j.
struct ShuffledKey {
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
struct ShuffleBoxes {
  using V = typename Isa::V;
  using Key = ShuffledKey;

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
  [[gnu::always_inline]] static V quarter(const Key& key, int j, int r, const Index& x) {
    return Isa::sum(Isa::shuffle(Isa::broadcast16(key.row[r][j]), x.low),
                    Isa::shuffle(Isa::broadcast16(key.row[r + 1][j]), x.low_odd),
                    Isa::shuffle(Isa::broadcast16(key.row[r + 8][j]), x.high),
                    Isa::shuffle(Isa::broadcast16(key.row[r + 9][j]), x.high_odd));
  }

  // S-box `j` of every byte of `x`.
  [[gnu::always_inline]] static V substitute(const Key& key, int j, V in) {
    const Index x = make_index(in);
    const V a4 = Isa::select(quarter(key, j, 0, x), quarter(key, j, 4, x), x.bit6);
    const V a6 = Isa::select(quarter(key, j, 2, x), quarter(key, j, 6, x), x.bit6);
    return Isa::select(a4, a6, x.bit5);
  }

  // Products by 5B and by EF of every byte of `s`.
  [[gnu::always_inline]] static void multiply(V s, V& p5b, V& pef) {
    const V nibble = Isa::set8(0x0F);
    const V low = Isa::bit_and(s, nibble);
    const V high = Isa::bit_and(Isa::template shift_right16<4>(s), nibble);
    p5b = Isa::bit_xor(Isa::shuffle(Isa::broadcast16(mds_tables.low5b), low),
                       Isa::shuffle(Isa::broadcast16(mds_tables.high5b), high));
    pef = Isa::bit_xor(Isa::shuffle(Isa::broadcast16(mds_tables.lowef), low),
                       Isa::shuffle(Isa::broadcast16(mds_tables.highef), high));
  }

  static void lay_out(const TwofishKey& expanded, Key& key) {
    for (int r = 0; r < 16; ++r) {
      for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 16; ++i) key.row[r][j][i] = expanded.s_box[j][16 * r + i];
      }
    }
    difference_rows(key, 1);
    if constexpr (Isa::select_adds) {
      difference_rows(key, 2);
      difference_rows(key, 4);
    }
  }

 private:
  static constexpr MdsTables mds_tables = make_mds_tables();

  // Rows with this bit of their number become the difference to the row without it, where the
  // look-up adds both.
  static void difference_rows(Key& key, int bit) {
    for (int r = 0; r < 16; ++r) {
      if ((r & bit) == 0) continue;
      for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 16; ++i) key.row[r][j][i] ^= key.row[r - bit][j][i];
      }
    }
  }
};

}  // namespace volt::twofish
