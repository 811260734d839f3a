// AES-NI on SSE4.1: rounds of AES on one block.
#pragma once

#include <smmintrin.h>
#include <wmmintrin.h>

#include "crypto/isa/ssse3.inl.h"

namespace volt {
namespace {

struct Aesni : Ssse3 {
  static constexpr std::uint32_t features = Ssse3::features | cpu_sse41 | cpu_aesni;

  // AES on the block in every 128-bit lane (FIPS 197, 5.1 and 5.3.5): aes_start(x, k0), where a
  // mask may be added, rounds with (k0, k1), (k1, k2), ..., the last one with its own. Here a key
  // is added as soon as the round before it ends; other instruction sets add it as the next round
  // begins, and their x lacks it until then.
  static VOLT_INLINE V aes_start(V x, V key) { return bit_xor(x, key); }
  static VOLT_INLINE V aes_start(V x, V mask, V key) { return xor3(mask, key, x); }
  static VOLT_INLINE V aes_round(V x, V /*before*/, V key) { return _mm_aesenc_si128(x, key); }
  static VOLT_INLINE V aes_last_round(V x, V /*before*/, V key) {
    return _mm_aesenclast_si128(x, key);
  }
  static VOLT_INLINE V aes_inverse_round(V x, V /*before*/, V key) {
    return _mm_aesdec_si128(x, key);
  }
  static VOLT_INLINE V aes_last_inverse_round(V x, V /*before*/, V key) {
    return _mm_aesdeclast_si128(x, key);
  }

  // For the key schedule: word i of the result is SubWord of the highest word, turned by 8 bits to
  // the right (RotWord) and with `constant` added where `rotating`.
  template <bool rotating, int constant>
  static VOLT_INLINE V aes_key_word(V x) {
    return _mm_shuffle_epi32(_mm_aeskeygenassist_si128(x, constant), rotating ? 0xFF : 0xAA);
  }
  // InvMixColumns.
  static VOLT_INLINE V aes_inverse_key(V key) { return _mm_aesimc_si128(key); }
  // Every 32-bit word xor all words before it.
  static VOLT_INLINE V prefix_xor32(V words) {
    words = bit_xor(words, _mm_slli_si128(words, 4));
    return bit_xor(words, _mm_slli_si128(words, 8));
  }
};

}  // namespace
}  // namespace volt
