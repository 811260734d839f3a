// Streebog-512 (GOST R 34.11-2012, RFC 6986) by eight tables of 64-bit words.
// Not constant-time: table addresses depend on data that derive from the password. An attacker who
// shares the processor's cache may learn about a key derivation while it runs.
#pragma once

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/gost_tables.inl.h"
#include "crypto/kernels/word_ops.inl.h"

namespace volt {
namespace {

struct StreebogTables {
  std::uint64_t t[8][256];
};

// Substitution and linear map of one byte, for each place in a word.
constexpr StreebogTables make_streebog_tables() {
  StreebogTables tables{};
  for (unsigned place = 0; place < 8; ++place) {
    for (unsigned x = 0; x < 256; ++x) {
      std::uint64_t word = 0;
      for (unsigned bit = 0; bit < 8; ++bit) {
        if ((gost_pi[x] >> bit) & 1U) word ^= streebog_matrix[63 - (place * 8 + bit)];
      }
      tables.t[place][x] = word;
    }
  }
  return tables;
}

alignas(64) constexpr StreebogTables streebog_tables = make_streebog_tables();

struct StreebogKeys {
  std::uint64_t k[13][8];
};

// LPS(a ^ b): RFC 6986, 7. Word `column` of the result gathers one byte of each input word. Four
// columns at a time, since the sums of eight do not fit the registers of most processors.
VOLT_INLINE void streebog_lps(const std::uint64_t* a, const std::uint64_t* b,
                              std::uint64_t* result) {
  const auto& t = streebog_tables.t;
  std::uint64_t mixed[8];
  for (unsigned i = 0; i < 8; ++i) mixed[i] = a[i] ^ b[i];
  VOLT_UNROLL(2)
  for (unsigned half = 0; half < 2; ++half) {
    std::uint64_t sum[4] = {};
    VOLT_UNROLL(8)
    for (unsigned i = 0; i < 8; ++i) {
      auto word = static_cast<std::uint32_t>(mixed[i] >> (32 * half));
      sum[0] ^= t[i][word & 255];
      sum[1] ^= t[i][(word >> 8) & 255];
      word >>= 16;
      sum[2] ^= t[i][word & 255];
      sum[3] ^= t[i][word >> 8];
    }
    VOLT_UNROLL(4)
    for (unsigned column = 0; column < 4; ++column) result[4 * half + column] = sum[column];
  }
}

// The thirteen keys of g_N(h, .): those of a keyed state are made once.
inline void streebog_expand(const std::uint64_t* h, const std::uint64_t* n, StreebogKeys& keys) {
  streebog_lps(h, n, keys.k[0]);
  for (unsigned r = 0; r < 12; ++r) streebog_lps(keys.k[r], streebog_constants[r], keys.k[r + 1]);
}

// g_N(h, m) with ready keys.
inline void streebog_g_with(const StreebogKeys& keys, const std::uint64_t* h,
                            const std::uint64_t* m, std::uint64_t* result) {
  std::uint64_t s[8];
  for (unsigned i = 0; i < 8; ++i) s[i] = m[i];
  for (unsigned r = 0; r < 12; ++r) streebog_lps(s, keys.k[r], s);
  for (unsigned i = 0; i < 8; ++i) result[i] = s[i] ^ keys.k[12][i] ^ h[i] ^ m[i];
}

// h = g_N(h, m), keys and state side by side.
inline void streebog_g(std::uint64_t* h, const std::uint64_t* n, const std::uint64_t* m) {
  std::uint64_t key[8];
  std::uint64_t s[8];
  streebog_lps(h, n, key);
  for (unsigned i = 0; i < 8; ++i) s[i] = m[i];
  for (unsigned r = 0; r < 12; ++r) {
    streebog_lps(s, key, s);
    streebog_lps(key, streebog_constants[r], key);
  }
  for (unsigned i = 0; i < 8; ++i) h[i] ^= s[i] ^ key[i] ^ m[i];
}

// One word of a sum of long numbers; the carry out of it by bits, not by comparing: compilers turn
// comparisons into branches, and these are on secrets.
inline std::uint64_t add_word(std::uint64_t a, std::uint64_t b, std::uint64_t* carry) {
  const std::uint64_t sum = a + b + *carry;
  *carry = ((a & b) | ((a | b) & ~sum)) >> 63;
  return sum;
}

// sum += addend, both numbers of 512 bits.
inline void streebog_add(std::uint64_t* sum, const std::uint64_t* addend) {
  std::uint64_t carry = 0;
  for (unsigned i = 0; i < 8; ++i) sum[i] = add_word(sum[i], addend[i], &carry);
}

}  // namespace
}  // namespace volt
