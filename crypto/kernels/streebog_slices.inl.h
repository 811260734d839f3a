// Streebog-512 (RFC 6986) over byte slices: constant-time, several streams at once.
#pragma once

#include "crypto/kernels/gfni_matrix.inl.h"
#include "crypto/kernels/kuznyechik_bits.inl.h"
#include "crypto/kernels/streebog_rounds.inl.h"
#include "crypto/kernels/wide_slices.inl.h"

namespace volt {
namespace {

// The substitution is shared with Kuznyechik, and so is its decomposition (kuznyechik_bits.inl.h):
// a linear map to two halves l and r of four bits, then
//   l = r == 0 ? nu0[l] : nu1[l x 1/r],  r = sigma[r x phi[l]],
// then a linear map, which is joined here to Streebog's own. Products in GF(16) go by logarithms; a
// shuffle gives 0 for the logarithm of 0, whose top bit is set, so the tables of powers hold what
// differs from the value for 0, and the tables after them take that.
struct StreebogBoxes {
  Nibbles left_high, left_low;  // halves of the first linear map, by nibbles of the input
  Nibbles right_high, right_low;
  Nibbles log;
  Nibbles log_of_inverse;
  Nibbles log_of_phi;          // of l ^ nu1[0]
  Nibbles nu0;                 // ^ nu1[0]
  Nibbles nu1_of_power;        // ^ nu1[0]
  Nibbles sigma_of_power;      // ^ sigma[0]
  Nibbles linear_left[8][8];   // [slice of the input][slice of the result], of l ^ nu1[0]
  Nibbles linear_right[8][8];  // of r ^ sigma[0]
  Nibbles deinterleave;
  Nibbles interleave;
};

constexpr std::uint8_t kuz_map(const std::uint8_t (&rows)[8], unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 8; ++i) {
    unsigned bits = rows[i] & x;
    bits ^= bits >> 4;
    bits ^= bits >> 2;
    bits ^= bits >> 1;
    y |= (bits & 1U) << i;
  }
  return static_cast<std::uint8_t>(y);
}

// Byte `to` of the word that the standard's matrix gives for the byte `x` in place `from`.
constexpr std::uint8_t streebog_linear(unsigned from, unsigned to, unsigned x) {
  std::uint64_t word = 0;
  for (unsigned bit = 0; bit < 8; ++bit) {
    if ((x >> bit) & 1U) word ^= streebog_matrix[63 - (from * 8 + bit)];
  }
  return static_cast<std::uint8_t>(word >> (8 * to));
}

constexpr StreebogBoxes make_streebog_boxes() {
  StreebogBoxes boxes{};
  std::uint8_t power[15] = {};
  std::uint8_t log[16] = {0xA0};  // two of them add up, with saturation, to something still marked
  unsigned element = 1;
  for (unsigned k = 0; k < 15; ++k) {
    power[k] = static_cast<std::uint8_t>(element);
    log[element] = static_cast<std::uint8_t>(k);
    element = kuz_times(element, 2);
  }
  for (unsigned x = 0; x < 16; ++x) {
    const std::uint8_t high = kuz_map(kuz_alpha, x << 4);
    const std::uint8_t low = kuz_map(kuz_alpha, x);
    boxes.left_high.byte[x] = high >> 4;
    boxes.left_low.byte[x] = low >> 4;
    boxes.right_high.byte[x] = high & 15;
    boxes.right_low.byte[x] = low & 15;
    boxes.log.byte[x] = log[x];
    boxes.log_of_inverse.byte[x] = x == 0 ? log[0] : static_cast<std::uint8_t>((15 - log[x]) % 15);
    boxes.log_of_phi.byte[x ^ kuz_nu1[0]] = log[kuz_phi[x]];
    boxes.nu0.byte[x] = kuz_nu0[x] ^ kuz_nu1[0];
    if (x < 15) {
      boxes.nu1_of_power.byte[x] = kuz_nu1[power[x]] ^ kuz_nu1[0];
      boxes.sigma_of_power.byte[x] = kuz_sigma[power[x]] ^ kuz_sigma[0];
    }
    for (unsigned from = 0; from < 8; ++from) {
      for (unsigned to = 0; to < 8; ++to) {
        boxes.linear_left[from][to].byte[x ^ kuz_nu1[0]] =
            streebog_linear(from, to, kuz_map(kuz_omega, x << 4));
        boxes.linear_right[from][to].byte[x ^ kuz_sigma[0]] =
            streebog_linear(from, to, kuz_map(kuz_omega, x));
      }
    }
    boxes.deinterleave.byte[x] = static_cast<std::uint8_t>(x % 8 * 2 + x / 8);
    boxes.interleave.byte[x] = static_cast<std::uint8_t>(x % 2 * 8 + x / 2);
  }
  return boxes;
}

constexpr StreebogBoxes streebog_boxes = make_streebog_boxes();

// For vectors that have an instruction for a linear map of bytes (GFNI).
struct StreebogMaps {
  long long map[8][8];  // [slice of the input][slice of the result]
};

constexpr StreebogMaps make_streebog_maps() {
  StreebogMaps maps{};
  for (unsigned from = 0; from < 8; ++from) {
    for (unsigned to = 0; to < 8; ++to) {
      std::uint8_t images[8] = {};
      for (unsigned bit = 0; bit < 8; ++bit) images[bit] = streebog_linear(from, to, 1U << bit);
      maps.map[from][to] = gfni_matrix(images);
    }
  }
  return maps;
}

constexpr StreebogMaps streebog_maps = make_streebog_maps();

template <class Isa>
VOLT_INLINE void streebog_layer_by_maps(WideState<Isa>& state) {
  using V = typename Isa::V;
  wide_transpose(state);
  V sum[8];
  const auto pi = Isa::table256(gost_pi);
  unroll<4>([&](auto pair) VOLT_INLINE_BODY {
    const int i = 2 * pair;
    const V x = Isa::look_up(pi, state.v[i]);
    const V y = Isa::look_up(pi, state.v[i + 1]);
    unroll<8>([&](auto j) VOLT_INLINE_BODY {
      const V left = Isa::template affine<0>(x, streebog_maps.map[i][j]);
      const V right = Isa::template affine<0>(y, streebog_maps.map[i + 1][j]);
      sum[j] = i == 0 ? Isa::bit_xor(left, right) : Isa::xor3(sum[j], left, right);
    });
  });
  unroll<8>([&](auto j) VOLT_INLINE_BODY { state.v[j] = sum[j]; });
}

// log a + log b modulo 15, top bit set where either marks zero.
template <class Isa>
VOLT_INLINE typename Isa::V streebog_add_logs(typename Isa::V a, typename Isa::V b) {
  const auto sum = Isa::add8_saturated(a, b);
  return Isa::smaller8(sum, Isa::subtract8(sum, Isa::set8(15)));
}

// LPS. Slice j of the result adds, over all i, the map (i, j) of slice i of the transposed state.
template <class Isa>
VOLT_INLINE void streebog_layer_by_nibbles(WideState<Isa>& state) {
  using V = typename Isa::V;
  wide_transpose(state);
  V sum[8] = {};
  unroll<8>([&](auto i) VOLT_INLINE_BODY {
    const auto& boxes = streebog_boxes;
    const V high = high_nibbles<Isa>(state.v[i]);
    const V low = low_nibbles<Isa>(state.v[i]);
    const auto look = [](const Nibbles& table, V index)
                          VOLT_INLINE_BODY { return Isa::shuffle(wide_bytes<Isa>(table), index); };
    V l = Isa::bit_xor(look(boxes.left_high, high), look(boxes.left_low, low));
    V r = Isa::bit_xor(look(boxes.right_high, high), look(boxes.right_low, low));
    const V quotient = streebog_add_logs<Isa>(look(boxes.log, l), look(boxes.log_of_inverse, r));
    l = Isa::where_zero8(r, look(boxes.nu0, l), look(boxes.nu1_of_power, quotient));
    const V product = streebog_add_logs<Isa>(look(boxes.log, r), look(boxes.log_of_phi, l));
    r = look(boxes.sigma_of_power, product);
    unroll<8>([&](auto j) VOLT_INLINE_BODY {
      const V left = look(boxes.linear_left[i][j], l);
      const V right = look(boxes.linear_right[i][j], r);
      sum[j] = Isa::xor3(sum[j], left, right);
    });
  });
  unroll<8>([&](auto j) VOLT_INLINE_BODY { state.v[j] = sum[j]; });
}

template <class Isa>
VOLT_INLINE void streebog_layer(WideState<Isa>& state) {
  if constexpr (wide_tables<Isa>) {
    streebog_layer_by_maps(state);
  } else {
    streebog_layer_by_nibbles(state);
  }
}

template <class Isa>
struct StreebogSliceLoop {
  using State = WideState<Isa>;
  State round_constants[12];
  State h[2];
  State keys[2][13];  // of the two keyed states' first block
  State one;
  State length;  // 1024
  std::uint64_t sigma[2][8];
  std::uint64_t words[8][wide_streams<Isa>];
  State u;
  State t;
  State chain;
  State key;
  State state;
  State sum;
  std::uint8_t rows[64];

  void rows_from(const std::uint64_t* from) {
    for (int r = 0; r < 8; ++r) store_word<std::uint64_t, false>(rows + 8 * r, from[r]);
  }
  void next_key(State& k, int round) const {
    wide_xor(k, round_constants[round]);
    streebog_layer(k);
  }
  // chain = g_N(chain, m), N in sliced form or null for 0.
  void g(const State* n, const State& m) {
    key = chain;
    if (n != nullptr) wide_xor(key, *n);
    streebog_layer(key);
    state = m;
    for (int r = 0; r < 12; ++r) {
      wide_xor(state, key);
      streebog_layer(state);
      next_key(key, r);
    }
    wide_xor(chain, state);
    wide_xor(chain, key);
    wide_xor(chain, m);
  }
  // sum = u + sigma + 1, as numbers of 512 bits, stream by stream.
  void add_sigma(const std::uint64_t* addend) {
    sum = u;
    wide_transpose(sum);
    unroll<8>([&](auto r) VOLT_INLINE_BODY {
      const auto row = Isa::shuffle(sum.v[r], wide_bytes<Isa>(streebog_boxes.deinterleave));
      std::memcpy(words[r], &row, sizeof row);
    });
    for (std::size_t s = 0; s < wide_streams<Isa>; ++s) {
      std::uint64_t carry = 1;
      for (int r = 0; r < 8; ++r) words[r][s] = add_word(words[r][s], addend[r], &carry);
    }
    unroll<8>([&](auto r) VOLT_INLINE_BODY {
      typename Isa::V row;
      std::memcpy(&row, words[r], sizeof row);
      sum.v[r] = Isa::shuffle(row, wide_bytes<Isa>(streebog_boxes.interleave));
    });
    wide_transpose(sum);
  }
  // u = HMAC's half: the digest u fills a block, then the padding, the length and the sum.
  void half(int which) {
    state = u;
    for (int r = 0; r < 12; ++r) {
      wide_xor(state, keys[which][r]);
      streebog_layer(state);
    }
    chain = state;
    wide_xor(chain, keys[which][12]);
    wide_xor(chain, h[which]);
    wide_xor(chain, u);
    add_sigma(sigma[which]);
    g(&length, one);
    g(nullptr, length);
    g(nullptr, sum);
    u = chain;
  }
  void prepare(int which, const void* keyed) {
    std::uint64_t parts[24];  // h, N, Sigma
    std::memcpy(parts, keyed, sizeof parts);
    std::memcpy(sigma[which], parts + 16, sizeof sigma[which]);
    rows_from(parts);
    wide_broadcast(rows, h[which]);
    rows_from(parts + 8);
    State& first = keys[which][0];
    wide_broadcast(rows, first);
    wide_xor(first, h[which]);
    streebog_layer(first);
    for (int r = 0; r < 12; ++r) {
      keys[which][r + 1] = keys[which][r];
      next_key(keys[which][r + 1], r);
    }
    wipe(parts, sizeof parts);
  }

  static void iterate(const void* inner, const void* outer, std::uint8_t* u, std::uint8_t* t,
                      std::uint32_t count) {
    constexpr std::uint64_t one_words[8] = {1};
    constexpr std::uint64_t length_words[8] = {1024};
    StreebogSliceLoop loop;
    for (int r = 0; r < 12; ++r) {
      loop.rows_from(streebog_constants[r]);
      wide_broadcast(loop.rows, loop.round_constants[r]);
    }
    loop.rows_from(one_words);
    wide_broadcast(loop.rows, loop.one);
    loop.rows_from(length_words);
    wide_broadcast(loop.rows, loop.length);
    loop.prepare(0, inner);
    loop.prepare(1, outer);
    wide_run(loop, u, t, count);
  }
};

}  // namespace
}  // namespace volt
