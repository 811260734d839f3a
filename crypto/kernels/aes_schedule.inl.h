// AES-256 key expansion with AES-NI, shared by the kernels that have it. Constant time: the
// instructions look no table up. Internal linkage: every kernel file has its own copy.
#pragma once

#include <wmmintrin.h>

#include <cstdint>

#include "crypto/kernels/unroll.inl.h"

namespace volt {
namespace {

inline constexpr int aes_rounds = 14;

// One block's round keys, in the order in which the rounds take them.
using AesRoundKeys = std::uint8_t[aes_rounds + 1][16];

// Everything that the unit functions read. The decryption keys are those of the equivalent inverse
// cipher (FIPS 197, 5.3.5).
struct AesXtsSchedule {
  AesRoundKeys encryption;
  AesRoundKeys decryption;
  AesRoundKeys tweak;
};

// Every word xor all words before it.
VOLT_ALWAYS_INLINE inline __m128i prefix_xor(__m128i words) noexcept {
  words = _mm_xor_si128(words, _mm_slli_si128(words, 4));
  return _mm_xor_si128(words, _mm_slli_si128(words, 8));
}

VOLT_ALWAYS_INLINE inline void store_round_key(std::uint8_t* out, __m128i key) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), key);
}

VOLT_ALWAYS_INLINE inline __m128i load_round_key(const std::uint8_t* key) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(key));
}

// FIPS 197, 5.2, for Nk = 8. Works in registers: no copy of the key is left in memory.
VOLT_ALWAYS_INLINE inline void expand_encryption_keys(const std::uint8_t* key,
                                                      AesRoundKeys& round_keys) noexcept {
  __m128i even = load_round_key(key);
  __m128i odd = load_round_key(key + 16);
  store_round_key(round_keys[0], even);
  store_round_key(round_keys[1], odd);
  for_constants<7>([&](auto i) VOLT_ALWAYS_INLINE {
    const __m128i rotated = _mm_aeskeygenassist_si128(odd, 1 << decltype(i)::value);
    even = _mm_xor_si128(prefix_xor(even), _mm_shuffle_epi32(rotated, 0xFF));
    store_round_key(round_keys[2 * i + 2], even);
    if constexpr (decltype(i)::value < 6) {
      const __m128i substituted = _mm_aeskeygenassist_si128(even, 0);
      odd = _mm_xor_si128(prefix_xor(odd), _mm_shuffle_epi32(substituted, 0xAA));
      store_round_key(round_keys[2 * i + 3], odd);
    }
  });
}

// XtsKernel::expand of every AES kernel.
inline void expand_aes_xts(const std::uint8_t* data_key, const std::uint8_t* tweak_key,
                           void* schedule) {
  AesXtsSchedule& keys = *static_cast<AesXtsSchedule*>(schedule);
  expand_encryption_keys(data_key, keys.encryption);
  expand_encryption_keys(tweak_key, keys.tweak);
  store_round_key(keys.decryption[0], load_round_key(keys.encryption[aes_rounds]));
  for (int round = 1; round < aes_rounds; ++round) {
    const __m128i key = load_round_key(keys.encryption[aes_rounds - round]);
    store_round_key(keys.decryption[round], _mm_aesimc_si128(key));
  }
  store_round_key(keys.decryption[aes_rounds], load_round_key(keys.encryption[0]));
}

}  // namespace
}  // namespace volt
