// Whirlpool (ISO/IEC 10118-3; Barreto and Rijmen 2003) by eight tables of 64-bit words.
// Not constant-time: table addresses depend on data that derive from the password. An attacker who
// shares the processor's cache may learn about a key derivation while it runs.
#pragma once

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/word_ops.inl.h"

namespace volt {
namespace {

constexpr std::uint8_t times_two_11d(std::uint8_t x) {
  return static_cast<std::uint8_t>((x << 1) ^ ((x >> 7) * 0x1D));
}

// Two of the boxes of four bits that the substitution is made of; the third is E's inverse.
constexpr std::uint8_t whirlpool_e[16] = {1, 11, 9, 12, 13, 6, 15, 3, 14, 8, 7, 4, 10, 2, 5, 0};
constexpr std::uint8_t whirlpool_r[16] = {7, 12, 11, 13, 14, 4, 9, 15, 6, 3, 8, 10, 2, 5, 1, 0};

constexpr std::uint8_t whirlpool_sbox(unsigned x) {
  std::uint8_t inverse[16] = {};
  for (unsigned i = 0; i < 16; ++i) inverse[whirlpool_e[i]] = static_cast<std::uint8_t>(i);
  const unsigned high = whirlpool_e[x >> 4];
  const unsigned low = inverse[x & 15];
  const unsigned mixed = whirlpool_r[high ^ low];
  return static_cast<std::uint8_t>(whirlpool_e[high ^ mixed] << 4 | inverse[low ^ mixed]);
}

struct WhirlpoolTables {
  std::uint64_t t[8][256];
  std::uint64_t round_constants[10];
};

// Row of the circulant matrix: 01 01 04 01 08 05 02 09.
constexpr WhirlpoolTables make_whirlpool_tables() {
  WhirlpoolTables tables{};
  std::uint8_t sbox[256] = {};
  for (unsigned x = 0; x < 256; ++x) {
    const std::uint8_t s1 = sbox[x] = whirlpool_sbox(x);
    const std::uint8_t s2 = times_two_11d(s1);
    const std::uint8_t s4 = times_two_11d(s2);
    const std::uint8_t s8 = times_two_11d(s4);
    const std::uint8_t row[8] = {s1, s1,
                                 s4, s1,
                                 s8, static_cast<std::uint8_t>(s4 ^ s1),
                                 s2, static_cast<std::uint8_t>(s8 ^ s1)};
    std::uint64_t word = 0;
    for (std::uint8_t byte : row) word = word << 8 | byte;
    for (int i = 0; i < 8; ++i) {
      tables.t[i][x] = word;
      word = word >> 8 | word << 56;
    }
  }
  for (unsigned r = 0; r < 10; ++r) {
    for (unsigned i = 0; i < 8; ++i) {
      tables.round_constants[r] = tables.round_constants[r] << 8 | sbox[r * 8 + i];
    }
  }
  return tables;
}

alignas(64) constexpr WhirlpoolTables whirlpool_tables = make_whirlpool_tables();

struct WhirlpoolKeys {
  std::uint64_t k[11][8];
};

// gamma, pi and theta of one row: byte i of the row comes from row - i.
VOLT_INLINE std::uint64_t whirlpool_row(const std::uint64_t* s, unsigned row) {
  const auto& t = whirlpool_tables.t;
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) {
    word ^= t[i][static_cast<std::uint8_t>(s[(row - i) & 7] >> (56 - 8 * i))];
  }
  return word;
}

VOLT_INLINE void whirlpool_next_key(const std::uint64_t* key, unsigned round, std::uint64_t* next) {
  VOLT_UNROLL(8)
  for (unsigned i = 0; i < 8; ++i) next[i] = whirlpool_row(key, i);
  next[0] ^= whirlpool_tables.round_constants[round];
}

VOLT_INLINE void whirlpool_round(std::uint64_t* s, const std::uint64_t* key) {
  std::uint64_t next[8];
  VOLT_UNROLL(8)
  for (unsigned i = 0; i < 8; ++i) next[i] = whirlpool_row(s, i) ^ key[i];
  for (unsigned i = 0; i < 8; ++i) s[i] = next[i];
}

// The round keys that a chaining value gives: those of a keyed state are made once.
inline void whirlpool_expand(const std::uint64_t* chain, WhirlpoolKeys& keys) {
  for (unsigned i = 0; i < 8; ++i) keys.k[0][i] = chain[i];
  for (unsigned r = 0; r < 10; ++r) whirlpool_next_key(keys.k[r], r, keys.k[r + 1]);
}

inline void whirlpool_compress_with(const WhirlpoolKeys& keys, const std::uint64_t* block,
                                    std::uint64_t* result) {
  std::uint64_t s[8];
  for (unsigned i = 0; i < 8; ++i) s[i] = block[i] ^ keys.k[0][i];
  for (unsigned r = 1; r <= 10; ++r) whirlpool_round(s, keys.k[r]);
  for (unsigned i = 0; i < 8; ++i) result[i] = s[i] ^ block[i] ^ keys.k[0][i];
}

inline void whirlpool_compress(std::uint64_t* chain, const std::uint64_t* block) {
  std::uint64_t s[8];
  std::uint64_t key[2][8];
  for (unsigned i = 0; i < 8; ++i) {
    key[0][i] = chain[i];
    s[i] = block[i] ^ chain[i];
  }
  for (unsigned r = 0; r < 10; ++r) {
    whirlpool_next_key(key[r & 1], r, key[(r + 1) & 1]);
    whirlpool_round(s, key[(r + 1) & 1]);
  }
  for (unsigned i = 0; i < 8; ++i) chain[i] ^= s[i] ^ block[i];
}

}  // namespace
}  // namespace volt
