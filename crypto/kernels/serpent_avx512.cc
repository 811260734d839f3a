// Serpent-XTS on AVX-512: sets of sixteen blocks, S-boxes by three-input logic, rotations by one
// instruction.
#include <immintrin.h>

#include "crypto/cpu_features.h"
#include "crypto/kernels/serpent_xts.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {
namespace {

struct Avx512 {
  using Base = Avx512;
  static constexpr int sets = 1;
  static constexpr int lanes = 16;
  static constexpr bool ternary = true;
  static constexpr int key_copies = 1;
  __m512i v;

  [[gnu::always_inline]] static Avx512 zero() { return {_mm512_setzero_si512()}; }
  [[gnu::always_inline]] static Avx512 load(const std::uint8_t* bytes) {
    return {_mm512_loadu_si512(bytes)};
  }
  [[gnu::always_inline]] static void store(std::uint8_t* bytes, Avx512 w) {
    _mm512_storeu_si512(bytes, w.v);
  }
  [[gnu::always_inline]] static Avx512 broadcast(std::uint32_t word) {
    return {_mm512_set1_epi32(static_cast<int>(word))};
  }
  [[gnu::always_inline]] static Avx512 load_key(const std::uint32_t* key) {
    return broadcast(*key);
  }
  // Shifts by a count for each lane; counts of 32 give 0.
  [[gnu::always_inline]] static Avx512 shift_left_each(Avx512 w, Avx512 counts) {
    return {_mm512_sllv_epi32(w.v, counts.v)};
  }
  [[gnu::always_inline]] static Avx512 shift_right_each(Avx512 w, Avx512 counts) {
    return {_mm512_srlv_epi32(w.v, counts.v)};
  }
  static serpent::State<Avx512> alpha_powers(const std::uint32_t* words, int stride);

  // Bit 4a + 2b + c of `table` is the result for the bits a, b, c.
  template <int table>
  [[gnu::always_inline]] static Avx512 lookup(Avx512 a, Avx512 b, Avx512 c) {
    return {_mm512_ternarylogic_epi32(a.v, b.v, c.v, table)};
  }
  [[gnu::always_inline]] friend Avx512 operator^(Avx512 a, Avx512 b) {
    return {_mm512_xor_si512(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Avx512 operator|(Avx512 a, Avx512 b) {
    return {_mm512_or_si512(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Avx512 xor3(Avx512 a, Avx512 b, Avx512 c) {
    return lookup<0x96>(a, b, c);
  }
  [[gnu::always_inline]] friend Avx512 low32(Avx512 a, Avx512 b) {
    return {_mm512_unpacklo_epi32(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Avx512 high32(Avx512 a, Avx512 b) {
    return {_mm512_unpackhi_epi32(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Avx512 low64(Avx512 a, Avx512 b) {
    return {_mm512_unpacklo_epi64(a.v, b.v)};
  }
  [[gnu::always_inline]] friend Avx512 high64(Avx512 a, Avx512 b) {
    return {_mm512_unpackhi_epi64(a.v, b.v)};
  }
};

template <int n>
[[gnu::always_inline]] inline Avx512 shift_left(Avx512 w) {
  return {_mm512_slli_epi32(w.v, n)};
}

template <int n>
[[gnu::always_inline]] inline Avx512 shift_right(Avx512 w) {
  return {_mm512_srli_epi32(w.v, n)};
}

template <int n>
[[gnu::always_inline]] inline Avx512 rotate_left(Avx512 w) {
  return {_mm512_rol_epi32(w.v, n)};
}

[[gnu::always_inline]] inline serpent::State<Avx512> Avx512::alpha_powers(
    const std::uint32_t* words, int stride) {
  return serpent::alpha_powers_by_shifts<Avx512>(words, stride);
}

using Two = serpent::Join<Avx512, Avx512>;
using Four = serpent::Join<Two, Two>;

}  // namespace

extern const XtsKernel kernel_serpent_avx512;
constinit const XtsKernel kernel_serpent_avx512 = {
    CipherId::serpent,
    "avx512",
    cpu_avx512f | cpu_avx512bw | cpu_avx512vl,
    true,
    sizeof(SerpentSchedule<Avx512::key_copies>),
    serpent_expand_plain,
    nullptr,
    serpent::crypt_units<Four, Two, Two, Avx512, true>,
    serpent::crypt_units<Four, Two, Two, Avx512, false>,
};

}  // namespace volt
