// AES (FIPS 197; AES-128 and AES-256) in bit slices: plane i holds bit i of every byte of eight
// blocks; byte p of the plane is place p of the state, and bit b of that byte is block b.
// Constant-time: there is neither a table nor a branch on data.
//
// The substitution is the circuit of Boyar and Peralta, "A small depth-16 circuit for the AES
// S-box" (2012), 128 gates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "crypto/isa/words.inl.h"

namespace volt {
namespace {

// x[7] is the most significant bit of each byte.
template <class V>
VOLT_INLINE void aes_substitute(V* x) {
  const V x0 = x[7], x1 = x[6], x2 = x[5], x3 = x[4], x4 = x[3], x5 = x[2], x6 = x[1], x7 = x[0];
  // Linear layer to the tower field.
  const V y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5, t0 = x1 ^ x2;
  const V y1 = t0 ^ x7, y4 = y1 ^ x3, y12 = y13 ^ y14, y2 = y1 ^ x0, y5 = y1 ^ x6;
  const V y3 = y5 ^ y8, t1 = x4 ^ y12, y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7;
  const V y10 = y15 ^ t0, y11 = y20 ^ y9, y7 = x7 ^ y11, y17 = y10 ^ y11, y19 = y10 ^ y8;
  const V y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = x0 ^ y16;
  // Inversion.
  const V t2 = y12 & y15, t4 = (y3 & y6) ^ t2, t6 = (y4 & x7) ^ t2;
  const V t7 = y13 & y16, t9 = (y5 & y1) ^ t7, t11 = (y2 & y7) ^ t7;
  const V t12 = y9 & y11, t14 = (y14 & y17) ^ t12, t16 = (y8 & y10) ^ t12;
  const V t21 = t4 ^ t14 ^ y20, t22 = t6 ^ t16 ^ y19, t23 = t9 ^ t14 ^ y21, t24 = t11 ^ t16 ^ y18;
  const V t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26, t28 = t25 & t27, t29 = t28 ^ t22;
  const V t30 = t23 ^ t24, t31 = t22 ^ t26, t32 = t31 & t30, t33 = t32 ^ t24, t34 = t23 ^ t33;
  const V t35 = t27 ^ t33, t36 = t24 & t35, t37 = t36 ^ t34, t38 = t27 ^ t36, t39 = t29 & t38;
  const V t40 = t25 ^ t39, t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37;
  const V t45 = t42 ^ t41;
  const V z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16, z4 = t40 & y1;
  const V z5 = t29 & y7, z6 = t42 & y11, z7 = t45 & y17, z8 = t41 & y10, z9 = t44 & y12;
  const V z10 = t37 & y3, z11 = t33 & y4, z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2;
  const V z15 = t42 & y9, z16 = t45 & y14, z17 = t41 & y8;
  // Linear layer back, with the affine constant.
  const V t46 = z15 ^ z16, t47 = z10 ^ z11, t48 = z5 ^ z13, t49 = z9 ^ z10, t50 = z2 ^ z12;
  const V t51 = z2 ^ z5, t52 = z7 ^ z8, t53 = z0 ^ z3, t54 = z6 ^ z7, t55 = z16 ^ z17;
  const V t56 = z12 ^ t48, t57 = t50 ^ t53, t58 = z4 ^ t46, t59 = z3 ^ t54, t60 = t46 ^ t57;
  const V t61 = z14 ^ t57, t62 = t52 ^ t58, t63 = t49 ^ t58, t64 = z4 ^ t59, t65 = t61 ^ t62;
  const V t66 = z1 ^ t63, t67 = t64 ^ t65, s3 = t53 ^ t66;
  x[7] = t59 ^ t63;
  x[6] = ~(t64 ^ s3);
  x[5] = ~(t55 ^ t67);
  x[4] = s3;
  x[3] = t51 ^ t66;
  x[2] = t47 ^ t65;
  x[1] = ~(t56 ^ t62);
  x[0] = ~(t48 ^ t60);
}

// The inverse of the affine part (FIPS 197, 5.3.2).
template <class V>
VOLT_INLINE void aes_affine_inverse(V* x) {
  V in[8];
  for (int i = 0; i < 8; ++i) in[i] = x[i];
  VOLT_UNROLL(8)
  for (int i = 0; i < 8; ++i) x[i] = in[(i + 2) & 7] ^ in[(i + 5) & 7] ^ in[(i + 7) & 7];
  x[0] = ~x[0];
  x[2] = ~x[2];
}

// S is an affine map after inversion, so S^-1 is S between two inverses of that map.
template <class V>
VOLT_INLINE void aes_substitute_inverse(V* x) {
  aes_affine_inverse(x);
  aes_substitute(x);
  aes_affine_inverse(x);
}

// Planes are vectors of 32-bit words, one a column of the state; row r is byte r of a word. `V` may
// hold several states of 128 bits.
template <class V>
struct AesPlanes {
  static constexpr int words = static_cast<int>(sizeof(V) / 4);

  // Word c of every state becomes word (c + n) % 4.
  template <int n>
  static VOLT_INLINE V turn(V x) {
    if constexpr (words == 4) {
      return __builtin_shufflevector(x, x, n & 3, (n + 1) & 3, (n + 2) & 3, (n + 3) & 3);
    } else {
      return __builtin_shufflevector(x, x, n & 3, (n + 1) & 3, (n + 2) & 3, (n + 3) & 3,
                                     4 + (n & 3), 4 + ((n + 1) & 3), 4 + ((n + 2) & 3),
                                     4 + ((n + 3) & 3));
    }
  }
  // Row r is turned by r places, or back by as many.
  template <bool inverse>
  static VOLT_INLINE void shift_rows(V* x) {
    for (int i = 0; i < 8; ++i) {
      x[i] = (x[i] & 0x000000FFU) | (turn < inverse ? 3 : 1 > (x[i]) & 0x0000FF00U) |
             (turn<2>(x[i]) & 0x00FF0000U) | (turn < inverse ? 1 : 3 > (x[i]) & 0xFF000000U);
    }
  }
  // Row r of a column becomes row r + 1 (or r + 2).
  static VOLT_INLINE V next_row(V x) { return (x >> 8) | (x << 24); }
  static VOLT_INLINE V second_row(V x) { return (x >> 16) | (x << 16); }

  // Multiplication of every byte by x modulo x^8 + x^4 + x^3 + x + 1.
  static VOLT_INLINE void double_bytes(V* x) {
    const V top = x[7];
    for (int i = 7; i > 0; --i) x[i] = x[i - 1];
    x[0] = top;
    x[1] ^= top;
    x[3] ^= top;
    x[4] ^= top;
  }
  static VOLT_INLINE void mix_columns(V* x) {
    V sum[8];
    V rest[8];
    for (int i = 0; i < 8; ++i) {
      const V next = next_row(x[i]);
      sum[i] = x[i] ^ next;
      rest[i] = next ^ second_row(sum[i]);
    }
    double_bytes(sum);
    for (int i = 0; i < 8; ++i) x[i] = sum[i] ^ rest[i];
  }
  // The inverse matrix is the matrix times the circulant of 5, 0, 4, 0.
  static VOLT_INLINE void mix_columns_inverse(V* x) {
    V sum[8];
    for (int i = 0; i < 8; ++i) sum[i] = x[i] ^ second_row(x[i]);
    double_bytes(sum);
    double_bytes(sum);
    for (int i = 0; i < 8; ++i) x[i] ^= sum[i];
    mix_columns(x);
  }

  // Bit b of byte p of word i becomes bit i of byte p of word b: blocks to planes, and back.
  static VOLT_INLINE void transpose(V* x) {
    exchange<1>(x, 0x55555555U);
    exchange<2>(x, 0x33333333U);
    exchange<4>(x, 0x0F0F0F0FU);
  }
  template <int distance>
  static VOLT_INLINE void exchange(V* x, std::uint32_t mask) {
    VOLT_UNROLL(8)
    for (int i = 0; i < 8; ++i) {
      if ((i & distance) != 0) continue;
      const V moved = ((x[i] >> distance) ^ x[i + distance]) & mask;
      x[i + distance] ^= moved;
      x[i] ^= moved << distance;
    }
  }
};

// Round keys as planes of one state (all blocks have the same key).
template <int rounds>
struct AesKeys {
  alignas(16) std::uint32_t plane[rounds + 1][8][4];
};

template <class V>
VOLT_INLINE void aes_add_key(V* x, const std::uint32_t (*plane)[4]) {
  for (int i = 0; i < 8; ++i) {
    std::uint32_t words[AesPlanes<V>::words];
    for (int w = 0; w < AesPlanes<V>::words; ++w) words[w] = plane[i][w & 3];
    V key;
    std::memcpy(&key, words, sizeof key);
    x[i] ^= key;
  }
}

template <class V, int rounds>
VOLT_INLINE void aes_encrypt(V* x, const AesKeys<rounds>& keys) {
  AesPlanes<V>::transpose(x);
  aes_add_key(x, keys.plane[0]);
  for (int round = 1; round < rounds; ++round) {
    aes_substitute(x);
    AesPlanes<V>::template shift_rows<false>(x);
    AesPlanes<V>::mix_columns(x);
    aes_add_key(x, keys.plane[round]);
  }
  aes_substitute(x);
  AesPlanes<V>::template shift_rows<false>(x);
  aes_add_key(x, keys.plane[rounds]);
  AesPlanes<V>::transpose(x);
}

template <class V, int rounds>
VOLT_INLINE void aes_decrypt(V* x, const AesKeys<rounds>& keys) {
  AesPlanes<V>::transpose(x);
  aes_add_key(x, keys.plane[rounds]);
  for (int round = rounds - 1; round > 0; --round) {
    AesPlanes<V>::template shift_rows<true>(x);
    aes_substitute_inverse(x);
    aes_add_key(x, keys.plane[round]);
    AesPlanes<V>::mix_columns_inverse(x);
  }
  AesPlanes<V>::template shift_rows<true>(x);
  aes_substitute_inverse(x);
  aes_add_key(x, keys.plane[0]);
  AesPlanes<V>::transpose(x);
}

// The key schedule (FIPS 197, 5.2), its substitutions by the circuit too: four bytes in the low
// four bits of plain words.
inline std::uint32_t aes_substitute_word(std::uint32_t word) {
  std::uint32_t x[8] = {};
  for (int i = 0; i < 8; ++i) {
    for (int byte = 0; byte < 4; ++byte) x[i] |= ((word >> (8 * byte + i)) & 1U) << byte;
  }
  aes_substitute(x);
  std::uint32_t result = 0;
  for (int i = 0; i < 8; ++i) {
    for (int byte = 0; byte < 4; ++byte) result |= ((x[i] >> byte) & 1U) << (8 * byte + i);
  }
  return result;
}

// Words are little-endian: byte 0 of a column lowest.
template <int rounds>
void aes_expand(const std::uint8_t* key, AesKeys<rounds>& keys) {
  constexpr int key_words = rounds - 6;  // Nk
  constexpr int words = 4 * (rounds + 1);
  std::uint32_t w[words];
  for (int i = 0; i < key_words; ++i) {
    w[i] = key[4 * i] | std::uint32_t{key[4 * i + 1]} << 8 | std::uint32_t{key[4 * i + 2]} << 16 |
           std::uint32_t{key[4 * i + 3]} << 24;
  }
  for (int i = key_words; i < words; ++i) {
    std::uint32_t word = w[i - 1];
    if (i % key_words == 0) {
      const int round = i / key_words - 1;
      const std::uint32_t constant = round < 8 ? 1U << round : 0x1BU << (round - 8);
      word = aes_substitute_word((word >> 8) | (word << 24)) ^ constant;
    }
    if (key_words > 6 && i % key_words == 4) word = aes_substitute_word(word);
    w[i] = w[i - key_words] ^ word;
  }
  for (int i = 0; i < words; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      keys.plane[i / 4][bit][i % 4] = ((w[i] >> bit) & 0x01010101U) * 0xFFU;
    }
  }
  wipe(w, sizeof w);
}

}  // namespace
}  // namespace volt
