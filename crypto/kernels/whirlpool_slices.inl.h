// Whirlpool (ISO/IEC 10118-3) over byte slices: constant-time, several streams at once.
#pragma once

#include "crypto/kernels/gfni_matrix.inl.h"
#include "crypto/kernels/whirlpool_rounds.inl.h"
#include "crypto/kernels/wide_slices.inl.h"

namespace volt {
namespace {

// The substitution goes through boxes of four bits: with a = E[high] and b = E^-1[low], and
// r = R[a ^ b], the result is E[a ^ r] and E^-1[b ^ r]. The last two boxes are joined to
// multiplication by 1, 2, 4 and 8.
struct WhirlpoolBoxes {
  Nibbles e;
  Nibbles e_inverse;
  Nibbles r;
  Nibbles high[4];  // 2^k x E[.] << 4
  Nibbles low[4];   // 2^k x E^-1[.]
  Nibbles turn[8];  // order that moves row r to row r + i
  Nibbles round_constant[10][8];
  // For vectors that have instructions for a whole table and for a linear map (GFNI).
  std::uint8_t whole[256];
  long long doubling[3];  // 2, 4 and 8 times
};

constexpr WhirlpoolBoxes make_whirlpool_boxes() {
  WhirlpoolBoxes boxes{};
  const auto& e = whirlpool_e;
  for (unsigned x = 0; x < 16; ++x) {
    boxes.e.byte[x] = e[x];
    boxes.r.byte[x] = whirlpool_r[x];
    boxes.e_inverse.byte[e[x]] = static_cast<std::uint8_t>(x);
  }
  for (unsigned x = 0; x < 16; ++x) {
    auto high = static_cast<std::uint8_t>(e[x] << 4);
    std::uint8_t low = boxes.e_inverse.byte[x];
    for (int k = 0; k < 4; ++k) {
      boxes.high[k].byte[x] = high;
      boxes.low[k].byte[x] = low;
      high = times_two_11d(high);
      low = times_two_11d(low);
    }
  }
  for (unsigned i = 0; i < 8; ++i) {
    for (unsigned b = 0; b < 16; ++b) {
      boxes.turn[i].byte[b] = static_cast<std::uint8_t>((b + 16 - 2 * i) % 16);
    }
  }
  for (unsigned round = 0; round < 10; ++round) {
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint8_t value = whirlpool_sbox(round * 8 + i);
      boxes.round_constant[round][i].byte[0] = value;
      boxes.round_constant[round][i].byte[1] = value;
    }
  }
  for (unsigned x = 0; x < 256; ++x) boxes.whole[x] = whirlpool_sbox(x);
  std::uint8_t images[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  for (long long& map : boxes.doubling) {
    for (std::uint8_t& image : images) image = times_two_11d(image);
    map = gfni_matrix(images);
  }
  return boxes;
}

constexpr WhirlpoolBoxes whirlpool_boxes = make_whirlpool_boxes();

// 1, 2, 4 and 8 times the substitution of x.
template <class Isa>
VOLT_INLINE void whirlpool_multiples(typename Isa::V x, typename Isa::V* times) {
  using V = typename Isa::V;
  const auto& boxes = whirlpool_boxes;
  if constexpr (wide_tables<Isa>) {
    times[1] = Isa::look_up(Isa::table256(boxes.whole), x);
    unroll<3>([&](auto k) VOLT_INLINE_BODY {
      times[2 << k] = Isa::template affine<0>(times[1], boxes.doubling[k]);
    });
  } else {
    V a = Isa::shuffle(wide_bytes<Isa>(boxes.e), high_nibbles<Isa>(x));
    V b = Isa::shuffle(wide_bytes<Isa>(boxes.e_inverse), low_nibbles<Isa>(x));
    const V r = Isa::shuffle(wide_bytes<Isa>(boxes.r), Isa::bit_xor(a, b));
    a = Isa::bit_xor(a, r);
    b = Isa::bit_xor(b, r);
    unroll<4>([&](auto k) VOLT_INLINE_BODY {
      times[1 << k] = Isa::bit_xor(Isa::shuffle(wide_bytes<Isa>(boxes.high[k]), a),
                                   Isa::shuffle(wide_bytes<Isa>(boxes.low[k]), b));
    });
  }
}

// gamma, pi and theta. Slice j of the result adds slice i times coefficient j - i of the circulant
// row 1 1 4 1 8 5 2 9.
template <class Isa>
VOLT_INLINE void whirlpool_layer(WideState<Isa>& state) {
  using V = typename Isa::V;
  V sum[8] = {};
  unroll<8>([&](auto i) VOLT_INLINE_BODY {
    const auto& boxes = whirlpool_boxes;
    V x = state.v[i];
    if (i != 0) x = Isa::shuffle(x, wide_bytes<Isa>(boxes.turn[i]));
    V times[10];
    whirlpool_multiples<Isa>(x, times);
    times[5] = Isa::bit_xor(times[4], times[1]);
    times[9] = Isa::bit_xor(times[8], times[1]);
    unroll<8>([&](auto j) VOLT_INLINE_BODY {
      constexpr int row[8] = {1, 1, 4, 1, 8, 5, 2, 9};
      const V term = times[row[(j - i) & 7]];
      sum[j] = Isa::bit_xor(sum[j], term);
    });
  });
  unroll<8>([&](auto j) VOLT_INLINE_BODY { state.v[j] = sum[j]; });
}

template <class Isa>
struct WhirlpoolSliceLoop {
  WideState<Isa> keyed[2][11];  // round keys of the two keyed states
  WideState<Isa> padding;
  WideState<Isa> u;
  WideState<Isa> t;
  WideState<Isa> chain;
  WideState<Isa> key;
  WideState<Isa> state;
  std::uint8_t rows[64];

  static VOLT_INLINE void next_key(WideState<Isa>& key, int round) {
    whirlpool_layer(key);
    unroll<8>([&](auto i) VOLT_INLINE_BODY {
      key.v[i] = Isa::bit_xor(key.v[i], wide_bytes<Isa>(whirlpool_boxes.round_constant[round][i]));
    });
  }
  // u = HMAC's half: the digest u fills a block, the padding is a second one.
  void half(int which) {
    state = u;
    wide_xor(state, keyed[which][0]);
    for (int r = 1; r <= 10; ++r) {
      whirlpool_layer(state);
      wide_xor(state, keyed[which][r]);
    }
    chain = state;
    wide_xor(chain, u);
    wide_xor(chain, keyed[which][0]);
    key = chain;
    state = padding;
    wide_xor(state, chain);
    for (int r = 0; r < 10; ++r) {
      next_key(key, r);
      whirlpool_layer(state);
      wide_xor(state, key);
    }
    u = state;
    wide_xor(u, padding);
    wide_xor(u, chain);
  }

  void prepare(int which, const void* state_words) {
    std::uint64_t words[8];
    std::memcpy(words, state_words, sizeof words);
    for (int r = 0; r < 8; ++r) store_word<std::uint64_t, true>(rows + 8 * r, words[r]);
    wipe(words, sizeof words);
    wide_broadcast(rows, keyed[which][0]);
    for (int r = 0; r < 10; ++r) {
      keyed[which][r + 1] = keyed[which][r];
      next_key(keyed[which][r + 1], r);
    }
  }

  static void iterate(const void* inner, const void* outer, std::uint8_t* u, std::uint8_t* t,
                      std::uint32_t count) {
    WhirlpoolSliceLoop loop;
    loop.prepare(0, inner);
    loop.prepare(1, outer);
    std::memset(loop.rows, 0, sizeof loop.rows);
    loop.rows[0] = 0x80;
    loop.rows[62] = 128 * 8 >> 8;
    wide_broadcast(loop.rows, loop.padding);
    wide_run(loop, u, t, count);
  }
};

}  // namespace
}  // namespace volt
