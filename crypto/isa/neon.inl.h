// NEON: 16-byte vectors on every ARMv8 processor. The names are those of sse2.inl.h.
#pragma once

#include <cstdint>

#include <arm_neon.h>

#include "crypto/isa/feature_bits.h"
#include "crypto/isa/words.inl.h"

namespace volt {
namespace {

struct Neon {
  using V = uint8x16_t;
  static constexpr int bytes = 16;
  static constexpr std::uint32_t features = cpu_neon;
  static constexpr bool ternary = false;
  static constexpr bool broadcasts_words = true;

  static VOLT_INLINE V load(const void* p) { return vld1q_u8(static_cast<const std::uint8_t*>(p)); }
  static VOLT_INLINE void store(void* p, V a) { vst1q_u8(static_cast<std::uint8_t*>(p), a); }
  static VOLT_INLINE V broadcast16(const void* p) { return load(p); }
  static VOLT_INLINE V broadcast16u(const void* p) { return load(p); }
  static VOLT_INLINE V zero() { return vdupq_n_u8(0); }
  static VOLT_INLINE V set32(std::uint32_t a) { return of(vdupq_n_u32(a)); }
  static VOLT_INLINE V set64(std::uint64_t a) { return of(vdupq_n_u64(a)); }
  static VOLT_INLINE V count_from(std::uint64_t first) { return set_lanes(first, 0); }
  static VOLT_INLINE V set_lanes(std::uint64_t low, std::uint64_t high) {
    return of(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
  }

  static VOLT_INLINE V bit_xor(V a, V b) { return veorq_u8(a, b); }
  static VOLT_INLINE V bit_or(V a, V b) { return vorrq_u8(a, b); }
  static VOLT_INLINE V bit_and(V a, V b) { return vandq_u8(a, b); }
  static VOLT_INLINE V and_not(V a, V b) { return vbicq_u8(b, a); }  // ~a & b
  static VOLT_INLINE V xor3(V a, V b, V c) { return bit_xor(a, bit_xor(b, c)); }

  static VOLT_INLINE V add32(V a, V b) { return of(vaddq_u32(words32(a), words32(b))); }
  static VOLT_INLINE V add64(V a, V b) { return of(vaddq_u64(words64(a), words64(b))); }
  template <int n>
  static VOLT_INLINE V shift_left32(V a) {
    return of(vshlq_n_u32(words32(a), n));
  }
  template <int n>
  static VOLT_INLINE V shift_right32(V a) {
    return of(vshrq_n_u32(words32(a), n));
  }
  static VOLT_INLINE V shift_left_each32(V a, V counts) {
    return of(vshlq_u32(words32(a), vreinterpretq_s32_u8(counts)));
  }
  static VOLT_INLINE V shift_right_each32(V a, V counts) {
    return of(vshlq_u32(words32(a), vnegq_s32(vreinterpretq_s32_u8(counts))));
  }
  template <int n>
  static VOLT_INLINE V rotate_left32(V a) {
    if constexpr (n == 16) return of(vrev32q_u16(vreinterpretq_u16_u8(a)));
    return of(vsriq_n_u32(vshlq_n_u32(words32(a), n), words32(a), 32 - n));
  }
  static VOLT_INLINE V sign32(V a) {
    return vreinterpretq_u8_s32(vshrq_n_s32(vreinterpretq_s32_u8(a), 31));
  }
  template <int w0, int w1, int w2, int w3>
  static VOLT_INLINE V permute32(V a) {
    constexpr std::uint8_t w[4] = {w0, w1, w2, w3};
    std::uint8_t order[bytes];
    for (int i = 0; i < bytes; ++i) order[i] = static_cast<std::uint8_t>(4 * w[i / 4] + i % 4);
    return shuffle(a, load(order));
  }
  // Within each 128-bit lane: byte i is table[index[i]], or 0 where that is 16 or more.
  static VOLT_INLINE V shuffle(V table, V index) { return vqtbl1q_u8(table, index); }

  static VOLT_INLINE V unpack_low32(V a, V b) { return of(vzip1q_u32(words32(a), words32(b))); }
  static VOLT_INLINE V unpack_high32(V a, V b) { return of(vzip2q_u32(words32(a), words32(b))); }
  static VOLT_INLINE V unpack_low64(V a, V b) { return of(vzip1q_u64(words64(a), words64(b))); }
  static VOLT_INLINE V unpack_high64(V a, V b) { return of(vzip2q_u64(words64(a), words64(b))); }

 private:
  static VOLT_INLINE V of(uint32x4_t a) { return vreinterpretq_u8_u32(a); }
  static VOLT_INLINE V of(uint64x2_t a) { return vreinterpretq_u8_u64(a); }
  static VOLT_INLINE V of(uint16x8_t a) { return vreinterpretq_u8_u16(a); }
  static VOLT_INLINE uint32x4_t words32(V a) { return vreinterpretq_u32_u8(a); }
  static VOLT_INLINE uint64x2_t words64(V a) { return vreinterpretq_u64_u8(a); }
};

}  // namespace
}  // namespace volt
