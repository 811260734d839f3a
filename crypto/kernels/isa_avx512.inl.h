// AVX-512 as the kernel templates see it: static functions on 64-byte vectors.
#pragma once

#include <cstdint>

#include <immintrin.h>

#include "crypto/kernels/tweak_shifts.inl.h"

namespace volt {
namespace {

constexpr TweakShifts<8, 4> tweak_shifts;

struct Avx512 {
  using V = __m512i;
  static constexpr int bytes = 64;

  [[gnu::always_inline]] static V load(const void* p) {
    return _mm512_loadu_si512(static_cast<const __m512i*>(p));
  }
  [[gnu::always_inline]] static void store(void* p, V a) {
    _mm512_storeu_si512(static_cast<__m512i*>(p), a);
  }
  // The same 16 bytes (aligned) in every 128-bit lane.
  [[gnu::always_inline]] static V broadcast16(const void* p) {
    return _mm512_broadcast_i32x4(_mm_load_si128(static_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static V set8(int a) { return _mm512_set1_epi8(static_cast<char>(a)); }
  [[gnu::always_inline]] static V set32(std::uint32_t a) {
    return _mm512_set1_epi32(static_cast<int>(a));
  }
  [[gnu::always_inline]] static V bit_xor(V a, V b) { return _mm512_xor_si512(a, b); }
  [[gnu::always_inline]] static V bit_or(V a, V b) { return _mm512_or_si512(a, b); }
  [[gnu::always_inline]] static V bit_and(V a, V b) { return _mm512_and_si512(a, b); }
  // a ^ b ^ c ^ d
  [[gnu::always_inline]] static V sum(V a, V b, V c, V d) {
    return _mm512_ternarylogic_epi32(a, b, bit_xor(c, d), 0x96);
  }
  // ~a & b
  [[gnu::always_inline]] static V and_not(V a, V b) { return _mm512_andnot_si512(a, b); }
  [[gnu::always_inline]] static V add8(V a, V b) { return _mm512_add_epi8(a, b); }
  [[gnu::always_inline]] static V add32(V a, V b) { return _mm512_add_epi32(a, b); }
  template <int n>
  [[gnu::always_inline]] static V shift_right16(V a) {
    return _mm512_srli_epi16(a, n);
  }
  [[gnu::always_inline]] static V rotate_left1(V a) { return _mm512_rol_epi32(a, 1); }
  [[gnu::always_inline]] static V rotate_right1(V a) { return _mm512_ror_epi32(a, 1); }
  // Within each 128-bit lane: byte i is table[index[i] & 15], or 0 where bit 7 of index[i] is set.
  [[gnu::always_inline]] static V shuffle(V table, V index) {
    return _mm512_shuffle_epi8(table, index);
  }
  [[gnu::always_inline]] static V unpack_low8(V a, V b) { return _mm512_unpacklo_epi8(a, b); }
  [[gnu::always_inline]] static V unpack_high8(V a, V b) { return _mm512_unpackhi_epi8(a, b); }
  [[gnu::always_inline]] static V unpack_low16(V a, V b) { return _mm512_unpacklo_epi16(a, b); }
  [[gnu::always_inline]] static V unpack_high16(V a, V b) { return _mm512_unpackhi_epi16(a, b); }
  [[gnu::always_inline]] static V unpack_low32(V a, V b) { return _mm512_unpacklo_epi32(a, b); }
  [[gnu::always_inline]] static V unpack_high32(V a, V b) { return _mm512_unpackhi_epi32(a, b); }
  [[gnu::always_inline]] static V unpack_low64(V a, V b) { return _mm512_unpacklo_epi64(a, b); }
  [[gnu::always_inline]] static V unpack_high64(V a, V b) { return _mm512_unpackhi_epi64(a, b); }

  // The masks of the 32 blocks of each of `mask_units` data units, from their encrypted tweaks
  // (see tweak_shifts.inl.h).
  static constexpr int mask_units = 4;
  static void make_masks(const std::uint8_t* tweaks, std::uint8_t* masks) {
    const V reduction = _mm512_set1_epi64(tweak_reduction);
    for (int unit = 0; unit < mask_units; ++unit, masks += 512) {
      const V tweak = broadcast16(tweaks + 16 * unit);
      const V exchanged = _mm512_shuffle_epi32(tweak, _MM_PERM_BADC);
      for (int i = 0; i < 8; ++i) {
        const V left = _mm512_sllv_epi64(tweak, load(tweak_shifts.left[i]));
        const V right = _mm512_srlv_epi64(exchanged, load(tweak_shifts.right[i]));
        const V carry = _mm512_clmulepi64_epi128(right, reduction, 0x00);
        store(masks + i * bytes, _mm512_ternarylogic_epi32(left, right, carry, 0x96));
      }
    }
  }
};

}  // namespace
}  // namespace volt
