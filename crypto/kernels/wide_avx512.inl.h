// Vectors of 64 bytes for the hashes in wide_slices.inl.h: AVX-512 with BW.
#pragma once

#include <immintrin.h>

#include "crypto/kernels/wide_slices.inl.h"

namespace volt {
namespace {

struct Avx512Bytes {
  using V = __m512i;
  static constexpr std::size_t streams = 8;
  static constexpr bool maps_bytes = false;

  static VOLT_WIDE_INLINE V load(const Nibbles& bytes) {
    return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(bytes.byte)));
  }
  static VOLT_WIDE_INLINE V broadcast(char byte) { return _mm512_set1_epi8(byte); }
  static VOLT_WIDE_INLINE V shuffle(V table, V index) { return _mm512_shuffle_epi8(table, index); }
  static VOLT_WIDE_INLINE V low_nibbles(V x) { return _mm512_and_si512(x, broadcast(15)); }
  static VOLT_WIDE_INLINE V high_nibbles(V x) { return low_nibbles(_mm512_srli_epi16(x, 4)); }
  static VOLT_WIDE_INLINE V exclusive_or(V x, V y) { return _mm512_xor_si512(x, y); }
  static VOLT_WIDE_INLINE V xor3(V x, V y, V z) { return _mm512_ternarylogic_epi64(x, y, z, 0x96); }
  static VOLT_WIDE_INLINE V add_saturated(V x, V y) { return _mm512_adds_epu8(x, y); }
  static VOLT_WIDE_INLINE V subtract(V x, V y) { return _mm512_sub_epi8(x, y); }
  static VOLT_WIDE_INLINE V smaller(V x, V y) { return _mm512_min_epu8(x, y); }
  // x == 0 ? a : b, byte by byte.
  static VOLT_WIDE_INLINE V where_zero(V x, V a, V b) {
    return _mm512_mask_blend_epi8(_mm512_testn_epi8_mask(x, x), b, a);
  }
  static VOLT_WIDE_INLINE V interleave_low16(V x, V y) { return _mm512_unpacklo_epi16(x, y); }
  static VOLT_WIDE_INLINE V interleave_high16(V x, V y) { return _mm512_unpackhi_epi16(x, y); }
};

}  // namespace
}  // namespace volt
