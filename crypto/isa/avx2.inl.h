// AVX2: 32-byte vectors. The names are those of sse2.inl.h.
#pragma once

#include <cstdint>

#include <immintrin.h>

#include "crypto/isa/feature_bits.h"
#include "crypto/isa/words.inl.h"

namespace volt {
namespace {

struct Avx2 {
  using V = __m256i;
  static constexpr int bytes = 32;
  static constexpr std::uint32_t features = cpu_sse2 | cpu_ssse3 | cpu_sse41 | cpu_avx | cpu_avx2;
  static constexpr bool ternary = false;
  static constexpr bool broadcasts_words = true;

  static VOLT_INLINE V load(const void* p) { return _mm256_loadu_si256(static_cast<const V*>(p)); }
  static VOLT_INLINE void store(void* p, V a) { _mm256_storeu_si256(static_cast<V*>(p), a); }
  static VOLT_INLINE V broadcast16(const void* p) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(static_cast<const __m128i*>(p)));
  }
  static VOLT_INLINE V broadcast16u(const void* p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(p)));
  }
  static VOLT_INLINE V zero() { return _mm256_setzero_si256(); }
  static VOLT_INLINE V set8(int a) { return _mm256_set1_epi8(static_cast<char>(a)); }
  static VOLT_INLINE V set32(std::uint32_t a) { return _mm256_set1_epi32(static_cast<int>(a)); }
  static VOLT_INLINE V set64(std::uint64_t a) {
    return _mm256_set1_epi64x(static_cast<long long>(a));
  }
  static VOLT_INLINE V count_from(std::uint64_t first) {
    const V number = _mm256_broadcastsi128_si256(_mm_cvtsi64_si128(static_cast<long long>(first)));
    return _mm256_add_epi64(number, _mm256_set_epi64x(0, 1, 0, 0));
  }

  static VOLT_INLINE V bit_xor(V a, V b) { return _mm256_xor_si256(a, b); }
  static VOLT_INLINE V bit_or(V a, V b) { return _mm256_or_si256(a, b); }
  static VOLT_INLINE V bit_and(V a, V b) { return _mm256_and_si256(a, b); }
  static VOLT_INLINE V and_not(V a, V b) { return _mm256_andnot_si256(a, b); }  // ~a & b
  static VOLT_INLINE V xor3(V a, V b, V c) { return bit_xor(bit_xor(a, b), c); }
  static VOLT_INLINE V xor4(V a, V b, V c, V d) { return bit_xor(bit_xor(a, b), bit_xor(c, d)); }

  static VOLT_INLINE V add8(V a, V b) { return _mm256_add_epi8(a, b); }
  static VOLT_INLINE V add32(V a, V b) { return _mm256_add_epi32(a, b); }
  static VOLT_INLINE V add64(V a, V b) { return _mm256_add_epi64(a, b); }
  // Products of the lower halves of 64-bit words.
  static VOLT_INLINE V multiply_low32(V a, V b) { return _mm256_mul_epu32(a, b); }
  template <int n>
  static VOLT_INLINE V shift_right16(V a) {
    return _mm256_srli_epi16(a, n);
  }
  template <int n>
  static VOLT_INLINE V shift_left32(V a) {
    if constexpr (n == 1) return _mm256_add_epi32(a, a);  // more ports than a shift
    return _mm256_slli_epi32(a, n);
  }
  template <int n>
  static VOLT_INLINE V shift_right32(V a) {
    return _mm256_srli_epi32(a, n);
  }
  // Shifts by a count for each 32-bit (64-bit) word; counts of 32 (64) give 0.
  static VOLT_INLINE V shift_left_each32(V a, V counts) { return _mm256_sllv_epi32(a, counts); }
  static VOLT_INLINE V shift_right_each32(V a, V counts) { return _mm256_srlv_epi32(a, counts); }
  static VOLT_INLINE V shift_left_each64(V a, V counts) { return _mm256_sllv_epi64(a, counts); }
  static VOLT_INLINE V shift_right_each64(V a, V counts) { return _mm256_srlv_epi64(a, counts); }
  template <int n>
  static VOLT_INLINE V rotate_left32(V a) {
    return bit_or(shift_left32<n>(a), shift_right32<32 - n>(a));
  }
  template <int n>
  static VOLT_INLINE V rotate_right32(V a) {
    return bit_or(shift_right32<n>(a), shift_left32<32 - n>(a));
  }
  // By whole bytes, words of `size` bytes to the right.
  template <int size, int n>
  static VOLT_INLINE V rotate_bytes(V a) {
    std::uint8_t order[bytes];
    for (int i = 0; i < bytes; ++i) {
      order[i] = static_cast<std::uint8_t>((i / size * size + (i + n) % size) % 16);
    }
    V shuffle_order;
    __builtin_memcpy(&shuffle_order, order, sizeof shuffle_order);
    return _mm256_shuffle_epi8(a, shuffle_order);
  }
  template <int n>
  static VOLT_INLINE V rotate_right64(V a) {
    if constexpr (n == 32) return _mm256_shuffle_epi32(a, 0xB1);
    if constexpr (n % 8 == 0) return rotate_bytes<8, n / 8>(a);
    if constexpr (n == 63) return bit_xor(_mm256_srli_epi64(a, 63), _mm256_add_epi64(a, a));
    return bit_or(_mm256_srli_epi64(a, n), _mm256_slli_epi64(a, 64 - n));
  }
  static VOLT_INLINE V sign32(V a) { return _mm256_srai_epi32(a, 31); }
  template <int w0, int w1, int w2, int w3>
  static VOLT_INLINE V permute32(V a) {
    return _mm256_shuffle_epi32(a, w0 | w1 << 2 | w2 << 4 | w3 << 6);
  }
  // Within every 256 bits: 64-bit word i is word (i + n) % 4 of `a`.
  template <int n>
  static VOLT_INLINE V turn64(V a) {
    return _mm256_permute4x64_epi64(
        a, (n & 3) | ((n + 1) & 3) << 2 | ((n + 2) & 3) << 4 | ((n + 3) & 3) << 6);
  }
  // Within each 128-bit lane, by bytes.
  template <int n>
  static VOLT_INLINE V shift_lanes_left(V a) {
    return _mm256_bslli_epi128(a, n);
  }
  template <int n>
  static VOLT_INLINE V shift_lanes_right(V a) {
    return _mm256_bsrli_epi128(a, n);
  }
  static VOLT_INLINE V shuffle(V table, V index) { return _mm256_shuffle_epi8(table, index); }

  static VOLT_INLINE V unpack_low8(V a, V b) { return _mm256_unpacklo_epi8(a, b); }
  static VOLT_INLINE V unpack_high8(V a, V b) { return _mm256_unpackhi_epi8(a, b); }
  static VOLT_INLINE V unpack_low16(V a, V b) { return _mm256_unpacklo_epi16(a, b); }
  static VOLT_INLINE V unpack_high16(V a, V b) { return _mm256_unpackhi_epi16(a, b); }
  static VOLT_INLINE V unpack_low32(V a, V b) { return _mm256_unpacklo_epi32(a, b); }
  static VOLT_INLINE V unpack_high32(V a, V b) { return _mm256_unpackhi_epi32(a, b); }
  static VOLT_INLINE V unpack_low64(V a, V b) { return _mm256_unpacklo_epi64(a, b); }
  static VOLT_INLINE V unpack_high64(V a, V b) { return _mm256_unpackhi_epi64(a, b); }

  // The two 128-bit lanes, apart and together.
  static VOLT_INLINE __m128i low_half(V a) { return _mm256_castsi256_si128(a); }
  static VOLT_INLINE __m128i high_half(V a) { return _mm256_extracti128_si256(a, 1); }
  static VOLT_INLINE V join_halves(__m128i low, __m128i high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
  }
  static VOLT_INLINE V load_halves(const void* low, const void* high) {
    return join_halves(_mm_loadu_si128(static_cast<const __m128i*>(low)),
                       _mm_loadu_si128(static_cast<const __m128i*>(high)));
  }
  static VOLT_INLINE void store_halves(void* low, void* high, V a) {
    _mm_storeu_si128(static_cast<__m128i*>(low), low_half(a));
    _mm_storeu_si128(static_cast<__m128i*>(high), high_half(a));
  }

  static constexpr bool select_adds = false;  // tables hold plain entries
  static VOLT_INLINE V selector(V a) { return a; }
  // (In assembly, because GCC takes the intrinsic apart and compares with zero first.)
  static VOLT_INLINE V select(V a, V b, V mask) {
    V result;
    __asm__("vpblendvb %3, %2, %1, %0" : "=x"(result) : "x"(a), "x"(b), "x"(mask));
    return result;
  }

  static VOLT_INLINE V set_lanes(std::uint64_t low, std::uint64_t high) {
    const auto l = static_cast<long long>(low), h = static_cast<long long>(high);
    return _mm256_set_epi64x(h, l, h, l);
  }
  template <int lane>
  static VOLT_INLINE void store_lane(void* p, V a) {
    if constexpr (lane == 0) {
      _mm_store_si128(static_cast<__m128i*>(p), _mm256_castsi256_si128(a));
    } else {
      _mm_store_si128(static_cast<__m128i*>(p), _mm256_extracti128_si256(a, 1));
    }
  }

  static VOLT_INLINE void hold(V (&x)[1]) { __asm__ volatile("" : "+x"(x[0])); }
  static VOLT_INLINE void hold(V (&x)[2]) { __asm__ volatile("" : "+x"(x[0]), "+x"(x[1])); }
  static VOLT_INLINE void hold(V (&x)[8]) {
    __asm__ volatile(""
                     : "+x"(x[0]), "+x"(x[1]), "+x"(x[2]), "+x"(x[3]), "+x"(x[4]), "+x"(x[5]),
                       "+x"(x[6]), "+x"(x[7]));
  }
  static VOLT_INLINE void opaque(V& a, V& b) { __asm__("" : "+x"(a), "+x"(b)); }
};

// AVX2 with carry-less products and rounds of AES in 32-byte vectors.
struct Vaes256 : Avx2 {
  static constexpr std::uint32_t features = Avx2::features | cpu_aesni | cpu_vaes | cpu_vpclmul;

  static VOLT_INLINE V aes_start(V x, V key) { return bit_xor(x, key); }
  static VOLT_INLINE V aes_start(V x, V mask, V key) { return xor3(mask, key, x); }
  static VOLT_INLINE V aes_round(V x, V /*before*/, V key) { return _mm256_aesenc_epi128(x, key); }
  static VOLT_INLINE V aes_last_round(V x, V /*before*/, V key) {
    return _mm256_aesenclast_epi128(x, key);
  }
  static VOLT_INLINE V aes_inverse_round(V x, V /*before*/, V key) {
    return _mm256_aesdec_epi128(x, key);
  }
  static VOLT_INLINE V aes_last_inverse_round(V x, V /*before*/, V key) {
    return _mm256_aesdeclast_epi128(x, key);
  }
  // In each 128-bit lane: the carry-less product of the lower 64 bits.
  static VOLT_INLINE V carryless_low(V a, V b) { return _mm256_clmulepi64_epi128(a, b, 0x00); }
};

}  // namespace
}  // namespace volt
