// AVX2 as the kernel templates see it: static functions on 32-byte vectors.
#pragma once

#include <cstdint>

#include <immintrin.h>

namespace volt {
namespace {

struct Avx2 {
  using V = __m256i;
  static constexpr int bytes = 32;

  [[gnu::always_inline]] static V load(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
  }
  [[gnu::always_inline]] static void store(void* p, V a) {
    _mm256_storeu_si256(static_cast<__m256i*>(p), a);
  }
  // The same 16 bytes (aligned) in every 128-bit lane.
  [[gnu::always_inline]] static V broadcast16(const void* p) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(static_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static V set8(int a) { return _mm256_set1_epi8(static_cast<char>(a)); }
  [[gnu::always_inline]] static V set32(std::uint32_t a) {
    return _mm256_set1_epi32(static_cast<int>(a));
  }
  [[gnu::always_inline]] static V bit_xor(V a, V b) { return _mm256_xor_si256(a, b); }
  [[gnu::always_inline]] static V bit_or(V a, V b) { return _mm256_or_si256(a, b); }
  [[gnu::always_inline]] static V bit_and(V a, V b) { return _mm256_and_si256(a, b); }
  // a ^ b ^ c ^ d
  [[gnu::always_inline]] static V sum(V a, V b, V c, V d) {
    return bit_xor(bit_xor(a, b), bit_xor(c, d));
  }
  // ~a & b
  [[gnu::always_inline]] static V and_not(V a, V b) { return _mm256_andnot_si256(a, b); }
  [[gnu::always_inline]] static V add8(V a, V b) { return _mm256_add_epi8(a, b); }
  [[gnu::always_inline]] static V add32(V a, V b) { return _mm256_add_epi32(a, b); }
  template <int n>
  [[gnu::always_inline]] static V shift_right16(V a) {
    return _mm256_srli_epi16(a, n);
  }
  [[gnu::always_inline]] static V rotate_left1(V a) {
    return _mm256_or_si256(_mm256_add_epi32(a, a), _mm256_srli_epi32(a, 31));
  }
  [[gnu::always_inline]] static V rotate_right1(V a) {
    return _mm256_or_si256(_mm256_srli_epi32(a, 1), _mm256_slli_epi32(a, 31));
  }
  // Within each 128-bit lane: byte i is table[index[i] & 15], or 0 where bit 7 of index[i] is set.
  [[gnu::always_inline]] static V shuffle(V table, V index) {
    return _mm256_shuffle_epi8(table, index);
  }
  [[gnu::always_inline]] static V unpack_low8(V a, V b) { return _mm256_unpacklo_epi8(a, b); }
  [[gnu::always_inline]] static V unpack_high8(V a, V b) { return _mm256_unpackhi_epi8(a, b); }
  [[gnu::always_inline]] static V unpack_low16(V a, V b) { return _mm256_unpacklo_epi16(a, b); }
  [[gnu::always_inline]] static V unpack_high16(V a, V b) { return _mm256_unpackhi_epi16(a, b); }
  [[gnu::always_inline]] static V unpack_low32(V a, V b) { return _mm256_unpacklo_epi32(a, b); }
  [[gnu::always_inline]] static V unpack_high32(V a, V b) { return _mm256_unpackhi_epi32(a, b); }
  [[gnu::always_inline]] static V unpack_low64(V a, V b) { return _mm256_unpacklo_epi64(a, b); }
  [[gnu::always_inline]] static V unpack_high64(V a, V b) { return _mm256_unpackhi_epi64(a, b); }

  // Selection by bit 7 of each byte of a mask; `selector` makes the mask.
  [[gnu::always_inline]] static V selector(V a) { return a; }
  // (In assembly, because GCC takes the intrinsic apart and compares with zero first.)
  [[gnu::always_inline]] static V select(V a, V b, V mask) {
    V result;
    asm("vpblendvb %3, %2, %1, %0" : "=x"(result) : "x"(a), "x"(b), "x"(mask));
    return result;
  }
  // The tables hold what `select` combines: here the plain entries.
  static constexpr bool select_adds = false;

  // The tweak of each 128-bit lane times alpha (IEEE 1619-2007, 5.2).
  [[gnu::always_inline]] static V times_alpha(V tweak) {
    const V carry = _mm256_srai_epi32(_mm256_shuffle_epi32(tweak, 0x13), 31);
    const V reduction = _mm256_set_epi32(0, 1, 0, 0x87, 0, 1, 0, 0x87);
    return _mm256_xor_si256(_mm256_add_epi64(tweak, tweak), _mm256_and_si256(carry, reduction));
  }

  // The masks of the 32 blocks of each of `mask_units` data units, from their encrypted tweaks.
  // Four chains of multiplications side by side hide one another's latency.
  static constexpr int mask_units = 8;
  static void make_masks(const std::uint8_t* tweaks, std::uint8_t* masks) {
    V tweak[4];
    for (int c = 0; c < 4; ++c) tweak[c] = load(tweaks + c * bytes);
    for (int offset = 0; offset < 512; offset += 16) {
      for (int c = 0; c < 4; ++c) {
        _mm_store_si128(reinterpret_cast<__m128i*>(masks + (2 * c) * 512 + offset),
                        _mm256_castsi256_si128(tweak[c]));
        _mm_store_si128(reinterpret_cast<__m128i*>(masks + (2 * c + 1) * 512 + offset),
                        _mm256_extracti128_si256(tweak[c], 1));
        tweak[c] = times_alpha(tweak[c]);
      }
    }
  }
};

}  // namespace
}  // namespace volt
