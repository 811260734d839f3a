// Serpent-XTS on AVX2: two sets of eight blocks.
#include <immintrin.h>

#include "crypto/cpu_features.h"
#include "crypto/kernels/serpent_xts.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {
namespace {

struct Avx2 {
  using Base = Avx2;
  static constexpr int sets = 1;
  static constexpr int lanes = 8;
  static constexpr bool ternary = false;
  static constexpr int key_copies = 1;
  __m256i v;

  [[gnu::always_inline]] static Avx2 zero() { return {_mm256_setzero_si256()}; }
  [[gnu::always_inline]] static Avx2 load(const std::uint8_t* bytes) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes))};
  }
  [[gnu::always_inline]] static void store(std::uint8_t* bytes, Avx2 w) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes), w.v);
  }
  [[gnu::always_inline]] static Avx2 broadcast(std::uint32_t word) {
    return {_mm256_set1_epi32(static_cast<int>(word))};
  }
  [[gnu::always_inline]] static Avx2 load_key(const std::uint32_t* key) { return broadcast(*key); }
  // Shifts by a count for each lane; counts of 32 give 0.
  [[gnu::always_inline]] static Avx2 shift_left_each(Avx2 w, Avx2 counts) {
    return {_mm256_sllv_epi32(w.v, counts.v)};
  }
  [[gnu::always_inline]] static Avx2 shift_right_each(Avx2 w, Avx2 counts) {
    return {_mm256_srlv_epi32(w.v, counts.v)};
  }

  static serpent::State<Avx2> alpha_powers(const std::uint32_t* words, int stride);

  [[gnu::always_inline]] friend Avx2 operator^(Avx2 a, Avx2 b) {
    return {_mm256_xor_si256(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Avx2 operator&(Avx2 a, Avx2 b) {
    return {_mm256_and_si256(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Avx2 operator|(Avx2 a, Avx2 b) {
    return {_mm256_or_si256(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Avx2 and_not(Avx2 a, Avx2 b) {
    return {_mm256_andnot_si256(b.v, a.v)};
  }
  [[gnu::always_inline]] friend Avx2 xor3(Avx2 a, Avx2 b, Avx2 c) { return a ^ b ^ c; }
  [[gnu::always_inline]] friend Avx2 low32(Avx2 a, Avx2 b) {
    return {_mm256_unpacklo_epi32(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Avx2 high32(Avx2 a, Avx2 b) {
    return {_mm256_unpackhi_epi32(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Avx2 low64(Avx2 a, Avx2 b) {
    return {_mm256_unpacklo_epi64(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Avx2 high64(Avx2 a, Avx2 b) {
    return {_mm256_unpackhi_epi64(a.v, b.v)};
  }
};

template <int n>
[[gnu::always_inline]] inline Avx2 shift_left(Avx2 w) {
  if constexpr (n == 1) return {_mm256_add_epi32(w.v, w.v)};  // more ports than a shift
  return {_mm256_slli_epi32(w.v, n)};
}

template <int n>
[[gnu::always_inline]] inline Avx2 shift_right(Avx2 w) {
  return {_mm256_srli_epi32(w.v, n)};
}

template <int n>
[[gnu::always_inline]] inline Avx2 rotate_left(Avx2 w) {
  return shift_left<n>(w) | shift_right<32 - n>(w);
}

[[gnu::always_inline]] inline serpent::State<Avx2> Avx2::alpha_powers(const std::uint32_t* words,
                                                                      int stride) {
  return serpent::alpha_powers_by_shifts<Avx2>(words, stride);
}

using Two = serpent::Join<Avx2, Avx2>;

}  // namespace

extern const XtsKernel kernel_serpent_avx2;
constinit const XtsKernel kernel_serpent_avx2 = {
    CipherId::serpent,
    "avx2",
    cpu_avx2,
    true,
    sizeof(SerpentSchedule<Avx2::key_copies>),
    serpent_expand_folded,
    nullptr,
    serpent::crypt_units<Two, Two, Two, Avx2, true>,
    serpent::crypt_units<Two, Two, Two, Avx2, false>,
};

}  // namespace volt
