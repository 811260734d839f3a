// SSE2: 16-byte vectors on every x86-64 processor. What all instruction sets here have in common is
// named alike, so that kernels are templates over them.
#pragma once

#include <cstdint>

#include <emmintrin.h>

#include "crypto/isa/feature_bits.h"
#include "crypto/isa/words.inl.h"

namespace volt {
namespace {

struct Sse2 {
  using V = __m128i;
  static constexpr int bytes = 16;
  static constexpr std::uint32_t features = cpu_sse2;
  static constexpr bool ternary = false;           // functions of three operands in one instruction
  static constexpr bool broadcasts_words = false;  // a load that repeats a 32-bit word

  static VOLT_INLINE V load(const void* p) { return _mm_loadu_si128(static_cast<const V*>(p)); }
  static VOLT_INLINE void store(void* p, V a) { _mm_storeu_si128(static_cast<V*>(p), a); }
  // The same 16 bytes (aligned) in every 128-bit lane; broadcast16u takes them from anywhere.
  static VOLT_INLINE V broadcast16(const void* p) {
    return _mm_load_si128(static_cast<const V*>(p));
  }
  static VOLT_INLINE V broadcast16u(const void* p) { return load(p); }
  static VOLT_INLINE V zero() { return _mm_setzero_si128(); }
  static VOLT_INLINE V set8(int a) { return _mm_set1_epi8(static_cast<char>(a)); }
  static VOLT_INLINE V set32(std::uint32_t a) { return _mm_set1_epi32(static_cast<int>(a)); }
  // 128-bit numbers first, first + 1, ... modulo 2^64, one in each 128-bit lane.
  static VOLT_INLINE V count_from(std::uint64_t first) {
    return _mm_cvtsi64_si128(static_cast<long long>(first));
  }
  // In every 128-bit lane: `low` in the lower 64 bits, `high` in the upper ones.
  static VOLT_INLINE V set_lanes(std::uint64_t low, std::uint64_t high) {
    return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
  }

  static VOLT_INLINE V bit_xor(V a, V b) { return _mm_xor_si128(a, b); }
  static VOLT_INLINE V bit_or(V a, V b) { return _mm_or_si128(a, b); }
  static VOLT_INLINE V bit_and(V a, V b) { return _mm_and_si128(a, b); }
  static VOLT_INLINE V and_not(V a, V b) { return _mm_andnot_si128(a, b); }  // ~a & b
  static VOLT_INLINE V xor3(V a, V b, V c) { return bit_xor(a, bit_xor(b, c)); }
  static VOLT_INLINE V xor4(V a, V b, V c, V d) { return bit_xor(bit_xor(a, b), bit_xor(c, d)); }

  static VOLT_INLINE V add8(V a, V b) { return _mm_add_epi8(a, b); }
  static VOLT_INLINE V add32(V a, V b) { return _mm_add_epi32(a, b); }
  static VOLT_INLINE V add64(V a, V b) { return _mm_add_epi64(a, b); }
  template <int n>
  static VOLT_INLINE V shift_right16(V a) {
    return _mm_srli_epi16(a, n);
  }
  template <int n>
  static VOLT_INLINE V shift_left32(V a) {
    if constexpr (n == 1) return _mm_add_epi32(a, a);  // more ports than a shift
    return _mm_slli_epi32(a, n);
  }
  template <int n>
  static VOLT_INLINE V shift_right32(V a) {
    return _mm_srli_epi32(a, n);
  }
  template <int n>
  static VOLT_INLINE V rotate_left32(V a) {
    return bit_or(shift_left32<n>(a), shift_right32<32 - n>(a));
  }
  template <int n>
  static VOLT_INLINE V rotate_right32(V a) {
    return bit_or(shift_right32<n>(a), shift_left32<32 - n>(a));
  }
  // All bits of a 32-bit word as its top bit is.
  static VOLT_INLINE V sign32(V a) { return _mm_srai_epi32(a, 31); }
  // Within each 128-bit lane: word i is word w[i] of `a`.
  template <int w0, int w1, int w2, int w3>
  static VOLT_INLINE V permute32(V a) {
    return _mm_shuffle_epi32(a, w0 | w1 << 2 | w2 << 4 | w3 << 6);
  }

  static VOLT_INLINE V unpack_low8(V a, V b) { return _mm_unpacklo_epi8(a, b); }
  static VOLT_INLINE V unpack_high8(V a, V b) { return _mm_unpackhi_epi8(a, b); }
  static VOLT_INLINE V unpack_low16(V a, V b) { return _mm_unpacklo_epi16(a, b); }
  static VOLT_INLINE V unpack_high16(V a, V b) { return _mm_unpackhi_epi16(a, b); }
  static VOLT_INLINE V unpack_low32(V a, V b) { return _mm_unpacklo_epi32(a, b); }
  static VOLT_INLINE V unpack_high32(V a, V b) { return _mm_unpackhi_epi32(a, b); }
  static VOLT_INLINE V unpack_low64(V a, V b) { return _mm_unpacklo_epi64(a, b); }
  static VOLT_INLINE V unpack_high64(V a, V b) { return _mm_unpackhi_epi64(a, b); }

  // Selection by bit 7 of each byte of a mask; `selector` makes the mask. There is no blend before
  // SSE4.1, so `select` adds `b` or nothing, and tables hold differences.
  static constexpr bool select_adds = true;
  static VOLT_INLINE V selector(V a) { return _mm_cmpgt_epi8(_mm_setzero_si128(), a); }
  static VOLT_INLINE V select(V a, V b, V mask) { return bit_xor(a, bit_and(b, mask)); }

  // 128-bit lane `lane`, to 16 aligned bytes.
  template <int lane>
  static VOLT_INLINE void store_lane(void* p, V a) {
    store(p, a);
  }

  // Does nothing, but where the source says: the compiler may not move the values' instructions
  // across it. `opaque` only hides how a value came about.
  static VOLT_INLINE void hold(V (&x)[1]) { __asm__ volatile("" : "+x"(x[0])); }
  static VOLT_INLINE void hold(V (&x)[2]) { __asm__ volatile("" : "+x"(x[0]), "+x"(x[1])); }
  static VOLT_INLINE void hold(V (&x)[8]) {
    __asm__ volatile(""
                     : "+x"(x[0]), "+x"(x[1]), "+x"(x[2]), "+x"(x[3]), "+x"(x[4]), "+x"(x[5]),
                       "+x"(x[6]), "+x"(x[7]));
  }
  static VOLT_INLINE void opaque(V& a, V& b) { __asm__("" : "+x"(a), "+x"(b)); }
};

}  // namespace
}  // namespace volt
