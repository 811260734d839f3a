// Kuznyechik (GOST R 34.12-2015, RFC 7801) in bit slices: a vector holds one bit of one byte of as
// many blocks as it has bits. Constant-time: there is neither a table nor a branch on data.
//
// The substitution is computed by its decomposition into operations on four bits (Biryukov, Perrin,
// Udovenko: "Reverse-engineering the S-box of Streebog, Kuznyechik and STRIBOBr1", 2016).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "crypto/isa/words.inl.h"

namespace volt {
namespace {

// Rows of the outer linear maps: bit j of row i tells whether output bit i takes input bit j.
constexpr std::uint8_t kuz_alpha[8] = {0x20, 0x1A, 0x44, 0x8A, 0xEF, 0x43, 0x41, 0x08};
constexpr std::uint8_t kuz_omega[8] = {0x01, 0x82, 0x44, 0x08, 0x9A, 0x20, 0x04, 0x0A};
constexpr std::uint8_t kuz_nu0[16] = {2, 5, 3, 11, 6, 9, 14, 10, 0, 4, 15, 1, 8, 13, 12, 7};
constexpr std::uint8_t kuz_nu1[16] = {7, 6, 12, 9, 0, 15, 8, 1, 4, 5, 11, 14, 13, 2, 3, 10};
constexpr std::uint8_t kuz_phi[16] = {11, 2, 11, 8, 12, 4, 1, 12, 6, 3, 5, 8, 14, 3, 6, 11};
constexpr std::uint8_t kuz_sigma[16] = {12, 13, 0, 4, 8, 11, 10, 14, 3, 9, 5, 2, 15, 1, 6, 7};

// A function of four bits to four as a sum of products: bit m of term[i] tells whether output bit
// i takes the product of the input bits that are set in m.
struct KuzBox {
  std::uint16_t term[4];
};

constexpr KuzBox kuz_box(const std::uint8_t (&table)[16]) {
  KuzBox box{};
  for (int i = 0; i < 4; ++i) {
    unsigned bits[16] = {};
    for (int x = 0; x < 16; ++x) bits[x] = (table[x] >> i) & 1U;
    for (int step = 1; step < 16; step <<= 1) {
      for (int x = 0; x < 16; ++x) {
        if ((x & step) != 0) bits[x] ^= bits[x ^ step];
      }
    }
    for (int m = 0; m < 16; ++m) {
      box.term[i] = static_cast<std::uint16_t>(box.term[i] | (bits[m] << m));
    }
  }
  return box;
}

constexpr KuzBox kuz_box_inverse(const std::uint8_t (&table)[16]) {
  std::uint8_t inverse[16] = {};
  for (int x = 0; x < 16; ++x) inverse[table[x]] = static_cast<std::uint8_t>(x);
  return kuz_box(inverse);
}

// Multiplication modulo x^4 + x^3 + 1, and the table of inverses (of zero: zero).
constexpr unsigned kuz_times(unsigned a, unsigned b) {
  unsigned product = 0;
  for (int i = 0; i < 4; ++i) product ^= ((b >> i) & 1U) != 0 ? a << i : 0;
  for (int i = 6; i >= 4; --i) product ^= ((product >> i) & 1U) != 0 ? 0x19U << (i - 4) : 0;
  return product;
}

template <int after_phi>
constexpr KuzBox kuz_inversion() {
  std::uint8_t table[16] = {};
  for (unsigned x = 0; x < 16; ++x) {
    const unsigned wanted = after_phi != 0 ? kuz_phi[x] : x;
    for (unsigned y = 0; y < 16; ++y) {
      if (kuz_times(wanted, y) == 1) table[x] = static_cast<std::uint8_t>(y);
    }
  }
  return kuz_box(table);
}

struct KuzMatrix {
  std::uint8_t row[8];
};

constexpr KuzMatrix kuz_matrix(const std::uint8_t (&rows)[8]) {
  KuzMatrix matrix{};
  for (int i = 0; i < 8; ++i) matrix.row[i] = rows[i];
  return matrix;
}

// The inverse by Gauss and Jordan; a row carries its right-hand side in the upper byte.
constexpr KuzMatrix kuz_matrix_inverse(const std::uint8_t (&rows)[8]) {
  unsigned work[8] = {};
  for (int i = 0; i < 8; ++i) work[i] = rows[i] | (0x100U << i);
  for (int column = 0; column < 8; ++column) {
    int pivot = column;
    while (((work[pivot] >> column) & 1U) == 0) ++pivot;
    const unsigned found = work[pivot];
    work[pivot] = work[column];
    work[column] = found;
    for (int i = 0; i < 8; ++i) {
      if (i != column && ((work[i] >> column) & 1U) != 0) work[i] ^= found;
    }
  }
  KuzMatrix matrix{};
  for (int i = 0; i < 8; ++i) matrix.row[i] = static_cast<std::uint8_t>(work[i] >> 8);
  return matrix;
}

template <class V>
VOLT_INLINE void kuz_linear(const KuzMatrix& matrix, const V* in, V* out) {
  VOLT_UNROLL(8)
  for (int i = 0; i < 8; ++i) {
    out[i] = V{};
    VOLT_UNROLL(8)
    for (int j = 0; j < 8; ++j) {
      if (((matrix.row[i] >> j) & 1U) != 0) out[i] ^= in[j];
    }
  }
}

template <class V>
VOLT_INLINE void kuz_substitute4(const KuzBox& box, const V* in, V* out) {
  V product[16];
  VOLT_UNROLL(16)
  for (int m = 1; m < 16; ++m) {
    const int top = m >= 8 ? 3 : m >= 4 ? 2 : m >= 2 ? 1 : 0;
    const int rest = m ^ (1 << top);
    product[m] = rest == 0 ? in[top] : product[rest] & in[top];
  }
  VOLT_UNROLL(4)
  for (int i = 0; i < 4; ++i) {
    V sum = (box.term[i] & 1U) != 0 ? ~V{} : V{};
    VOLT_UNROLL(16)
    for (int m = 1; m < 16; ++m) {
      if (((box.term[i] >> m) & 1U) != 0) sum ^= product[m];
    }
    out[i] = sum;
  }
}

template <class V>
VOLT_INLINE void kuz_multiply4(const V* a, const V* b, V* out) {
  V c[7];
  VOLT_UNROLL(7)
  for (int i = 0; i < 7; ++i) c[i] = V{};
  VOLT_UNROLL(4)
  for (int i = 0; i < 4; ++i) {
    VOLT_UNROLL(4)
    for (int j = 0; j < 4; ++j) c[i + j] ^= a[i] & b[j];
  }
  const V both = c[5] ^ c[6];
  out[0] = c[0] ^ c[4] ^ both;
  out[1] = c[1] ^ both;
  out[2] = c[2] ^ c[6];
  out[3] = c[3] ^ c[4] ^ both;
}

// where ? a : b, bit by bit.
template <class V>
VOLT_INLINE void kuz_choose4(V where, const V* a, const V* b, V* out) {
  VOLT_UNROLL(4)
  for (int i = 0; i < 4; ++i) out[i] = b[i] ^ (where & (a[i] ^ b[i]));
}

// `x` is the right half (bits 0-3), then the left half.
template <class V>
VOLT_INLINE void kuz_substitute(const V* in, V* out) {
  static constexpr KuzMatrix alpha = kuz_matrix(kuz_alpha);
  static constexpr KuzMatrix omega = kuz_matrix(kuz_omega);
  static constexpr KuzBox nu0 = kuz_box(kuz_nu0);
  static constexpr KuzBox nu1 = kuz_box(kuz_nu1);
  static constexpr KuzBox phi = kuz_box(kuz_phi);
  static constexpr KuzBox sigma = kuz_box(kuz_sigma);
  static constexpr KuzBox inversion = kuz_inversion<0>();
  V x[8];
  kuz_linear(alpha, in, x);
  V* right = x;
  V* left = x + 4;
  V a[4];
  V b[4];
  V c[4];
  kuz_substitute4(inversion, right, a);
  kuz_multiply4(left, a, b);
  kuz_substitute4(nu1, b, a);
  kuz_substitute4(nu0, left, c);
  kuz_choose4(right[0] | right[1] | right[2] | right[3], a, c, left);
  kuz_substitute4(phi, left, a);
  kuz_multiply4(right, a, b);
  kuz_substitute4(sigma, b, right);
  kuz_linear(omega, x, out);
}

template <class V>
VOLT_INLINE void kuz_substitute_inverse(const V* in, V* out) {
  static constexpr KuzMatrix alpha = kuz_matrix_inverse(kuz_alpha);
  static constexpr KuzMatrix omega = kuz_matrix_inverse(kuz_omega);
  static constexpr KuzBox nu0 = kuz_box_inverse(kuz_nu0);
  static constexpr KuzBox nu1 = kuz_box_inverse(kuz_nu1);
  static constexpr KuzBox sigma = kuz_box_inverse(kuz_sigma);
  static constexpr KuzBox phi_inverted = kuz_inversion<1>();  // of phi's value, which is never zero
  V x[8];
  kuz_linear(omega, in, x);
  V* right = x;
  V* left = x + 4;
  V a[4];
  V b[4];
  V c[4];
  kuz_substitute4(sigma, right, a);
  kuz_substitute4(phi_inverted, left, b);
  kuz_multiply4(a, b, right);
  kuz_substitute4(nu1, left, a);
  kuz_multiply4(a, right, b);
  kuz_substitute4(nu0, left, c);
  kuz_choose4(right[0] | right[1] | right[2] | right[3], b, c, left);
  kuz_linear(alpha, x, out);
}

// The linear form of RFC 7801, 4.1.2 over GF(2^8) modulo x^8 + x^7 + x^6 + x + 1: byte q of `a` has
// coefficient q of 148 32 133 16 194 192 1 251 1 192 194 16 133 32 148, and `last` has 1.
template <class V>
VOLT_INLINE void kuz_form(const V (*a)[8], const V* last, V* out) {
  V r[15];
  VOLT_UNROLL(15)
  for (int i = 0; i < 15; ++i) r[i] = V{};
  VOLT_UNROLL(8)
  for (int j = 0; j < 8; ++j) {
    // Bytes that share a coefficient first; then one term for each bit of the coefficients.
    const V c148 = a[0][j] ^ a[14][j];
    const V c32 = a[1][j] ^ a[13][j];
    const V c133 = a[2][j] ^ a[12][j];
    const V c16 = a[3][j] ^ a[11][j];
    const V c194 = a[4][j] ^ a[10][j];
    const V c192 = a[5][j] ^ a[9][j];
    const V c1 = a[6][j] ^ a[8][j] ^ last[j];
    const V c251 = a[7][j];
    const V bit6 = c194 ^ c192 ^ c251;
    const V bit2 = c148 ^ c133;
    r[j] ^= c133 ^ c1 ^ c251;
    r[j + 1] ^= c194 ^ c251;
    r[j + 2] ^= bit2;
    r[j + 3] ^= c251;
    r[j + 4] ^= c148 ^ c16 ^ c251;
    r[j + 5] ^= c32 ^ c251;
    r[j + 6] ^= bit6;
    r[j + 7] ^= bit2 ^ bit6;
  }
  VOLT_UNROLL(7)
  for (int i = 14; i >= 8; --i) {
    r[i - 1] ^= r[i];
    r[i - 2] ^= r[i];
    r[i - 7] ^= r[i];
    r[i - 8] ^= r[i];
  }
  VOLT_UNROLL(8)
  for (int j = 0; j < 8; ++j) out[j] = r[j];
}

// Blocks of a batch: byte q of the blocks in row q. Twice as many rows as bytes: the linear map
// appends a byte at one end while one falls off at the other.
template <class V>
struct KuzState {
  V row[32][8];
};

// One byte for each bit of a round key, all ones or all zeros.
struct KuzKey {
  std::uint8_t mask[10][128];
};

template <class V>
VOLT_INLINE void kuz_add_key(V* bits, const std::uint8_t* mask) {
  VOLT_UNROLL(8)
  for (int j = 0; j < 8; ++j) {
    bits[j] ^= V{} + static_cast<std::uint64_t>(
                         static_cast<std::int64_t>(static_cast<std::int8_t>(mask[j])));
  }
}

// Rows 0-15 through key, substitution and linear map, to rows 0-15.
template <class V>
inline void kuz_round(KuzState<V>& s, const std::uint8_t* mask) {
  for (int q = 0; q < 16; ++q) {
    V bits[8];
    for (int j = 0; j < 8; ++j) bits[j] = s.row[q][j];
    kuz_add_key(bits, mask + q * 8);
    kuz_substitute(bits, s.row[q + 16]);
  }
  for (int head = 16; head > 0; --head) kuz_form(s.row + head, s.row[head + 15], s.row[head - 1]);
}

// The inverse of kuz_round.
template <class V>
inline void kuz_round_inverse(KuzState<V>& s, const std::uint8_t* mask) {
  for (int head = 0; head < 16; ++head) kuz_form(s.row + head + 1, s.row[head], s.row[head + 16]);
  for (int q = 0; q < 16; ++q) {
    V bits[8];
    kuz_substitute_inverse(s.row[q + 16], bits);
    kuz_add_key(bits, mask + q * 8);
    for (int j = 0; j < 8; ++j) s.row[q][j] = bits[j];
  }
}

template <class V>
inline void kuz_encrypt(KuzState<V>& s, const KuzKey& key) {
  for (int r = 0; r < 9; ++r) kuz_round(s, key.mask[r]);
  for (int q = 0; q < 16; ++q) kuz_add_key(s.row[q], key.mask[9] + q * 8);
}

template <class V>
inline void kuz_decrypt(KuzState<V>& s, const KuzKey& key) {
  for (int q = 0; q < 16; ++q) kuz_add_key(s.row[q], key.mask[9] + q * 8);
  for (int r = 8; r >= 0; --r) kuz_round_inverse(s, key.mask[r]);
}

}  // namespace
}  // namespace volt
