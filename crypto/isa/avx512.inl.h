// AVX-512: 64-byte vectors. The names are those of sse2.inl.h.
#pragma once

#include <cstdint>

#include <immintrin.h>

#include "crypto/isa/feature_bits.h"
#include "crypto/isa/words.inl.h"

namespace volt {
namespace {

// With the F instructions only; what needs more says so. A member that is not used needs nothing.
struct Avx512 {
  using V = __m512i;
  static constexpr int bytes = 64;
  static constexpr std::uint32_t features =
      cpu_sse2 | cpu_ssse3 | cpu_sse41 | cpu_avx | cpu_avx2 | cpu_avx512f;
  static constexpr std::uint32_t features_bytes = features | cpu_avx512bw;  // 8 and 16 bits
  // Its instructions on shorter vectors, too.
  static constexpr std::uint32_t features_narrow = features_bytes | cpu_avx512vl;
  static constexpr bool ternary = true;
  static constexpr bool broadcasts_words = true;

  static VOLT_INLINE V load(const void* p) { return _mm512_loadu_si512(p); }
  static VOLT_INLINE void store(void* p, V a) { _mm512_storeu_si512(p, a); }
  static VOLT_INLINE V broadcast16(const void* p) {
    return _mm512_broadcast_i32x4(_mm_load_si128(static_cast<const __m128i*>(p)));
  }
  static VOLT_INLINE V broadcast16u(const void* p) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(static_cast<const __m128i*>(p)));
  }
  static VOLT_INLINE V zero() { return _mm512_setzero_si512(); }
  static VOLT_INLINE V set8(int a) { return _mm512_set1_epi8(static_cast<char>(a)); }
  static VOLT_INLINE V set32(std::uint32_t a) { return _mm512_set1_epi32(static_cast<int>(a)); }
  static VOLT_INLINE V set64(std::uint64_t a) {
    return _mm512_set1_epi64(static_cast<long long>(a));
  }
  static VOLT_INLINE V count_from(std::uint64_t first) {
    const V number = _mm512_broadcast_i32x4(_mm_cvtsi64_si128(static_cast<long long>(first)));
    return _mm512_add_epi64(number, _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0));
  }

  static VOLT_INLINE V bit_xor(V a, V b) { return _mm512_xor_si512(a, b); }
  static VOLT_INLINE V bit_or(V a, V b) { return _mm512_or_si512(a, b); }
  static VOLT_INLINE V bit_and(V a, V b) { return _mm512_and_si512(a, b); }
  static VOLT_INLINE V and_not(V a, V b) { return _mm512_andnot_si512(a, b); }  // ~a & b
  // Bit 4a + 2b + c of `table` is the result for the bits a, b, c.
  template <int table>
  static VOLT_INLINE V logic(V a, V b, V c) {
    return _mm512_ternarylogic_epi64(a, b, c, table);
  }
  static VOLT_INLINE V xor3(V a, V b, V c) { return logic<0x96>(a, b, c); }
  static VOLT_INLINE V xor4(V a, V b, V c, V d) { return xor3(a, b, bit_xor(c, d)); }

  static VOLT_INLINE V add8(V a, V b) { return _mm512_add_epi8(a, b); }
  static VOLT_INLINE V add32(V a, V b) { return _mm512_add_epi32(a, b); }
  static VOLT_INLINE V add64(V a, V b) { return _mm512_add_epi64(a, b); }
  static VOLT_INLINE V multiply_low32(V a, V b) { return _mm512_mul_epu32(a, b); }
  // Of 8 bits: sums that stop at 255, differences, the smaller one; and x == 0 ? a : b.
  static VOLT_INLINE V add8_saturated(V a, V b) { return _mm512_adds_epu8(a, b); }
  static VOLT_INLINE V subtract8(V a, V b) { return _mm512_sub_epi8(a, b); }
  static VOLT_INLINE V smaller8(V a, V b) { return _mm512_min_epu8(a, b); }
  static VOLT_INLINE V where_zero8(V x, V a, V b) {
    return _mm512_mask_blend_epi8(_mm512_testn_epi8_mask(x, x), b, a);
  }
  template <int n>
  static VOLT_INLINE V shift_right16(V a) {
    return _mm512_srli_epi16(a, n);
  }
  template <int n>
  static VOLT_INLINE V shift_left32(V a) {
    return _mm512_slli_epi32(a, n);
  }
  template <int n>
  static VOLT_INLINE V shift_right32(V a) {
    return _mm512_srli_epi32(a, n);
  }
  static VOLT_INLINE V shift_left_each32(V a, V counts) { return _mm512_sllv_epi32(a, counts); }
  static VOLT_INLINE V shift_right_each32(V a, V counts) { return _mm512_srlv_epi32(a, counts); }
  static VOLT_INLINE V shift_left_each64(V a, V counts) { return _mm512_sllv_epi64(a, counts); }
  static VOLT_INLINE V shift_right_each64(V a, V counts) { return _mm512_srlv_epi64(a, counts); }
  template <int n>
  static VOLT_INLINE V rotate_left32(V a) {
    return _mm512_rol_epi32(a, n);
  }
  template <int n>
  static VOLT_INLINE V rotate_right32(V a) {
    return _mm512_ror_epi32(a, n);
  }
  template <int n>
  static VOLT_INLINE V rotate_right64(V a) {
    return _mm512_ror_epi64(a, n);
  }
  template <int w0, int w1, int w2, int w3>
  static VOLT_INLINE V permute32(V a) {
    return _mm512_shuffle_epi32(a, static_cast<_MM_PERM_ENUM>(w0 | w1 << 2 | w2 << 4 | w3 << 6));
  }
  template <int n>
  static VOLT_INLINE V turn64(V a) {
    return _mm512_permutex_epi64(
        a, (n & 3) | ((n + 1) & 3) << 2 | ((n + 2) & 3) << 4 | ((n + 3) & 3) << 6);
  }
  // Within each 128-bit lane, by bytes.
  template <int n>
  static VOLT_INLINE V shift_lanes_left(V a) {
    return _mm512_bslli_epi128(a, n);
  }
  template <int n>
  static VOLT_INLINE V shift_lanes_right(V a) {
    return _mm512_bsrli_epi128(a, n);
  }
  static VOLT_INLINE V shuffle(V table, V index) { return _mm512_shuffle_epi8(table, index); }

  static VOLT_INLINE V unpack_low8(V a, V b) { return _mm512_unpacklo_epi8(a, b); }
  static VOLT_INLINE V unpack_high8(V a, V b) { return _mm512_unpackhi_epi8(a, b); }
  static VOLT_INLINE V unpack_low16(V a, V b) { return _mm512_unpacklo_epi16(a, b); }
  static VOLT_INLINE V unpack_high16(V a, V b) { return _mm512_unpackhi_epi16(a, b); }
  static VOLT_INLINE V unpack_low32(V a, V b) { return _mm512_unpacklo_epi32(a, b); }
  static VOLT_INLINE V unpack_high32(V a, V b) { return _mm512_unpackhi_epi32(a, b); }
  static VOLT_INLINE V unpack_low64(V a, V b) { return _mm512_unpacklo_epi64(a, b); }
  static VOLT_INLINE V unpack_high64(V a, V b) { return _mm512_unpackhi_epi64(a, b); }

  // The two halves from two places.
  static VOLT_INLINE V load_halves(const void* low, const void* high) {
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm256_loadu_si256(static_cast<const __m256i*>(low))),
        _mm256_loadu_si256(static_cast<const __m256i*>(high)), 1);
  }
  static VOLT_INLINE void store_halves(void* low, void* high, V a) {
    _mm256_storeu_si256(static_cast<__m256i*>(low), _mm512_castsi512_si256(a));
    _mm256_storeu_si256(static_cast<__m256i*>(high), _mm512_extracti64x4_epi64(a, 1));
  }
  // The two quarters in the middle change places.
  static VOLT_INLINE V exchange_middle(V a) {
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 1, 4, 5, 2, 3, 6, 7), a);
  }

  // In each 128-bit lane: the carry-less product of the lower 64 bits (VPCLMULQDQ).
  static constexpr std::uint32_t features_carryless = features_bytes | cpu_vpclmul;
  static VOLT_INLINE V carryless_low(V a, V b) { return _mm512_clmulepi64_epi128(a, b, 0x00); }

  static VOLT_INLINE void hold(V (&x)[8]) {
    __asm__ volatile(""
                     : "+v"(x[0]), "+v"(x[1]), "+v"(x[2]), "+v"(x[3]), "+v"(x[4]), "+v"(x[5]),
                       "+v"(x[6]), "+v"(x[7]));
  }
  static VOLT_INLINE void hold(V (&x)[16]) {
    __asm__ volatile(""
                     : "+v"(x[0]), "+v"(x[1]), "+v"(x[2]), "+v"(x[3]), "+v"(x[4]), "+v"(x[5]),
                       "+v"(x[6]), "+v"(x[7]));
    __asm__ volatile(""
                     : "+v"(x[8]), "+v"(x[9]), "+v"(x[10]), "+v"(x[11]), "+v"(x[12]), "+v"(x[13]),
                       "+v"(x[14]), "+v"(x[15]));
  }
};

// AVX-512 with rounds of AES in 64-byte vectors.
struct Vaes512 : Avx512 {
  static constexpr std::uint32_t features =
      Avx512::features_carryless | cpu_avx512vl | cpu_aesni | cpu_vaes;

  static VOLT_INLINE V aes_start(V x, V key) { return bit_xor(x, key); }
  static VOLT_INLINE V aes_start(V x, V mask, V key) { return xor3(mask, key, x); }
  static VOLT_INLINE V aes_round(V x, V /*before*/, V key) { return _mm512_aesenc_epi128(x, key); }
  static VOLT_INLINE V aes_last_round(V x, V /*before*/, V key) {
    return _mm512_aesenclast_epi128(x, key);
  }
  static VOLT_INLINE V aes_inverse_round(V x, V /*before*/, V key) {
    return _mm512_aesdec_epi128(x, key);
  }
  static VOLT_INLINE V aes_last_inverse_round(V x, V /*before*/, V key) {
    return _mm512_aesdeclast_epi128(x, key);
  }
};

}  // namespace
}  // namespace volt
