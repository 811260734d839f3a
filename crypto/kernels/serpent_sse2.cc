// Serpent-XTS on SSE2, which every x86-64 processor has: two sets of four blocks.
#include <emmintrin.h>

#include "crypto/cpu_features.h"
#include "crypto/kernels/serpent_xts.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {
namespace {

struct Sse2 {
  using Base = Sse2;
  static constexpr int sets = 1;
  static constexpr int lanes = 4;
  static constexpr bool ternary = false;
  static constexpr int key_copies = 4;  // no broadcasting load in this instruction set
  __m128i v;

  [[gnu::always_inline]] static Sse2 zero() { return {_mm_setzero_si128()}; }
  [[gnu::always_inline]] static Sse2 load(const std::uint8_t* bytes) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))};
  }
  [[gnu::always_inline]] static void store(std::uint8_t* bytes, Sse2 w) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), w.v);
  }
  [[gnu::always_inline]] static Sse2 load_key(const std::uint32_t* key) {
    return {_mm_load_si128(reinterpret_cast<const __m128i*>(key))};
  }
  static serpent::State<Sse2> alpha_powers(const std::uint32_t* words, int stride);

  [[gnu::always_inline]] friend Sse2 operator^(Sse2 a, Sse2 b) { return {_mm_xor_si128(a.v, b.v)}; }
  [[gnu::always_inline]] friend Sse2 operator&(Sse2 a, Sse2 b) { return {_mm_and_si128(a.v, b.v)}; }
  [[gnu::always_inline]] friend Sse2 operator|(Sse2 a, Sse2 b) { return {_mm_or_si128(a.v, b.v)}; }
  [[gnu::always_inline]] friend Sse2 and_not(Sse2 a, Sse2 b) {
    return {_mm_andnot_si128(b.v, a.v)};
  }
  [[gnu::always_inline]] friend Sse2 xor3(Sse2 a, Sse2 b, Sse2 c) { return a ^ (b ^ c); }
  [[gnu::always_inline]] friend Sse2 low32(Sse2 a, Sse2 b) {
    return {_mm_unpacklo_epi32(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Sse2 high32(Sse2 a, Sse2 b) {
    return {_mm_unpackhi_epi32(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Sse2 low64(Sse2 a, Sse2 b) {
    return {_mm_unpacklo_epi64(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Sse2 high64(Sse2 a, Sse2 b) {
    return {_mm_unpackhi_epi64(a.v, b.v)};
  }
};

template <int n>
[[gnu::always_inline]] inline Sse2 shift_left(Sse2 w) {
  if constexpr (n == 1) return {_mm_add_epi32(w.v, w.v)};
  return {_mm_slli_epi32(w.v, n)};
}

template <int n>
[[gnu::always_inline]] inline Sse2 shift_right(Sse2 w) {
  return {_mm_srli_epi32(w.v, n)};
}

template <int n>
[[gnu::always_inline]] inline Sse2 rotate_left(Sse2 w) {
  return shift_left<n>(w) | shift_right<32 - n>(w);
}

// There is no shift by a count of each lane's own: the four tweaks are made as numbers, then
// transposed.
[[gnu::always_inline]] inline serpent::State<Sse2> Sse2::alpha_powers(const std::uint32_t* words,
                                                                      int stride) {
  std::uint64_t low = words[0] | static_cast<std::uint64_t>(words[stride]) << 32;
  std::uint64_t high = words[2 * stride] | static_cast<std::uint64_t>(words[3 * stride]) << 32;
  serpent::State<Sse2> t;
  for (Sse2* block : {&t.x0, &t.x1, &t.x2, &t.x3}) {
    block->v = _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
    const std::uint64_t carry = high >> 63;
    high = high << 1 | low >> 63;
    low = low << 1 ^ (carry * 0x87);
  }
  serpent::transpose(t);
  return t;
}

using Two = serpent::Join<Sse2, Sse2>;

}  // namespace

extern const XtsKernel kernel_serpent_sse2;
constinit const XtsKernel kernel_serpent_sse2 = {
    CipherId::serpent,
    "sse2",
    cpu_sse2,
    true,
    sizeof(SerpentSchedule<Sse2::key_copies>),
    serpent_expand_folded4,
    nullptr,
    serpent::crypt_units<Two, Two, Two, Sse2, true>,
    serpent::crypt_units<Two, Two, Two, Sse2, false>,
};

}  // namespace volt
