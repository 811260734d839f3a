// Twofish's S-boxes by shuffles of 16 entries.
//
// No look-up by a secret address: an S-box of 256 bytes is sixteen shuffles, joined by the index's
// upper bits.
#pragma once

#include <cstdint>

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/twofish_schedule.h"

namespace volt::twofish {

// One expanded key as the shuffles want it: entries 16 * row to 16 * row + 15 of S-box j.
struct ShuffledKey {
  alignas(64) std::uint8_t row[16][4][16];
  std::uint32_t subkey[40];
};

// The product by the MDS matrix comes from `Mds` (twofish_mds.inl.h).
template <class Isa, class Mds>
struct ShuffleBoxes : Mds {
  using V = typename Isa::V;
  using Key = ShuffledKey;

  // S-box `j` of every byte of the registers `x`, which share each row that is loaded.
  //
  // A shuffle gives 0 where bit 7 of its index is set. With c = 0x50, 0x60 and 0x70 added to its
  // lower 6 bits, an index has bit 7 set from 0x30, 0x20 and 0x10 on. So each of four sums of four
  // shuffles is the entry for one value of bits 7 and 6, and two levels of masks select from these.
  //
  // The order is held: compilers would otherwise start more of a look-up at once than 16 registers
  // can hold, and lose a tenth of the speed to spills.
  template <int count>
  static VOLT_INLINE void substitute(const Key& key, int j, V (&x)[count]) {
    V index[count];
    V sum[4][count];
    for (int i = 0; i < count; ++i) index[i] = Isa::bit_and(x[i], Isa::set8(0x3F));
    for (int q = 0; q < 4; ++q) {
      const V row = Isa::broadcast16(key.row[4 * q + 3][j]);
      for (int i = 0; i < count; ++i) sum[q][i] = Isa::shuffle(row, index[i]);
      Isa::hold(sum[q]);
    }
    for (int r = 2; r >= 0; --r) {
      const V step = Isa::set8(r == 2 ? 0x50 : 0x10);
      for (int i = 0; i < count; ++i) index[i] = Isa::add8(index[i], step);
      for (int q = 0; q < 4; ++q) {
        const V row = Isa::broadcast16(key.row[4 * q + r][j]);
        for (int i = 0; i < count; ++i) {
          sum[q][i] = Isa::bit_xor(sum[q][i], Isa::shuffle(row, index[i]));
        }
        Isa::hold(sum[q]);
      }
    }
    for (int i = 0; i < count; ++i) {
      const V bit7 = Isa::selector(x[i]);
      const V low = Isa::select(sum[0][i], sum[2][i], bit7);
      const V high = Isa::select(sum[1][i], sum[3][i], bit7);
      x[i] = Isa::select(low, high, Isa::selector(Isa::add8(x[i], x[i])));
    }
    Isa::hold(x);
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
  static void add_row(Key& key, int to, int from) {
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 16; ++i) key.row[to][j][i] ^= key.row[from][j][i];
    }
  }
};

}  // namespace volt::twofish
