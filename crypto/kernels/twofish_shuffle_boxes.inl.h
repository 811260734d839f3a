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

  // S-box `j` of every byte of `x` and of `y`; both use each row that is loaded.
  //
  // A shuffle gives 0 where bit 7 of its index is set. With c = 0x50, 0x60 and 0x70 added to its
  // lower 6 bits, an index has bit 7 set from 0x30, 0x20 and 0x10 on. So each of four sums of four
  // shuffles is the entry for one value of bits 7 and 6, and two levels of masks select from these.
  [[gnu::always_inline]] static void substitute(const Key& key, int j, V& x, V& y) {
    V index_x = Isa::bit_and(x, Isa::set8(0x3F));
    V index_y = Isa::bit_and(y, Isa::set8(0x3F));
    V sum_x[4], sum_y[4];
    for (int q = 0; q < 4; ++q) {
      const V row = Isa::broadcast16(key.row[4 * q + 3][j]);
      sum_x[q] = Isa::shuffle(row, index_x);
      sum_y[q] = Isa::shuffle(row, index_y);
      keep_order(sum_x[q], sum_y[q]);
    }
    for (int r = 2; r >= 0; --r) {
      const V step = Isa::set8(r == 2 ? 0x50 : 0x10);
      index_x = Isa::add8(index_x, step);
      index_y = Isa::add8(index_y, step);
      for (int q = 0; q < 4; ++q) {
        const V row = Isa::broadcast16(key.row[4 * q + r][j]);
        sum_x[q] = Isa::bit_xor(sum_x[q], Isa::shuffle(row, index_x));
        sum_y[q] = Isa::bit_xor(sum_y[q], Isa::shuffle(row, index_y));
        keep_order(sum_x[q], sum_y[q]);
      }
    }
    x = select_quarter(sum_x, x);
    y = select_quarter(sum_y, y);
    keep_order(x, y);
  }

  // MDS * s (section 4.2).
  [[gnu::always_inline]] static void mix(const V (&s)[4], V (&z)[4]) {
    const V nibble = Isa::set8(0x0F);
    const V low5b = Isa::broadcast16(mds_tables.low5b);
    const V high5b = Isa::broadcast16(mds_tables.high5b);
    const V lowef = Isa::broadcast16(mds_tables.lowef);
    const V highef = Isa::broadcast16(mds_tables.highef);
    V x[4], y[4];  // products by 5B and by EF
    for (int j = 0; j < 4; ++j) {
      const V low = Isa::bit_and(s[j], nibble);
      const V high = Isa::bit_and(Isa::template shift_right16<4>(s[j]), nibble);
      x[j] = Isa::bit_xor(Isa::shuffle(low5b, low), Isa::shuffle(high5b, high));
      y[j] = Isa::bit_xor(Isa::shuffle(lowef, low), Isa::shuffle(highef, high));
    }
    z[0] = Isa::bit_xor(Isa::bit_xor(Isa::bit_xor(s[0], y[1]), x[2]), x[3]);
    z[1] = Isa::bit_xor(Isa::bit_xor(Isa::bit_xor(x[0], y[1]), y[2]), s[3]);
    z[2] = Isa::bit_xor(Isa::bit_xor(Isa::bit_xor(y[0], x[1]), s[2]), y[3]);
    z[3] = Isa::bit_xor(Isa::bit_xor(Isa::bit_xor(y[0], s[1]), y[2]), x[3]);
  }

  static void lay_out(const TwofishKey& expanded, Key& key) {
    for (int r = 0; r < 16; ++r) {
      for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 16; ++i) key.row[r][j][i] = expanded.s_box[j][16 * r + i];
      }
    }
    for (int r = 0; r < 16; ++r) {
      if (r % 4 != 3) add_row(key, r, r + 1);
    }
    // Where a selection adds its second operand, a row is the difference to that of the first.
    if constexpr (Isa::select_adds) {
      for (int bit = 4; bit <= 8; bit *= 2) {
        for (int r = 0; r < 16; ++r) {
          if ((r & bit) != 0) add_row(key, r, r - bit);
        }
      }
    }
  }

 private:
  // Does nothing, but where the source says. Compilers would otherwise start more of a look-up at
  // once than 16 registers can hold, and spend a third of the time on spills.
  [[gnu::always_inline]] static void keep_order(V& x, V& y) { asm volatile("" : "+x"(x), "+x"(y)); }

  [[gnu::always_inline]] static V select_quarter(const V (&quarter)[4], V x) {
    const V bit7 = Isa::selector(x);
    const V low = Isa::select(quarter[0], quarter[2], bit7);
    const V high = Isa::select(quarter[1], quarter[3], bit7);
    return Isa::select(low, high, Isa::selector(Isa::add8(x, x)));
  }

  static constexpr MdsTables mds_tables = make_mds_tables();

  static void add_row(Key& key, int to, int from) {
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 16; ++i) key.row[to][j][i] ^= key.row[from][j][i];
    }
  }
};

}  // namespace volt::twofish
