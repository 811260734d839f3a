// AVX-512 with GFNI as the kernel templates see it.
#pragma once

#include "crypto/kernels/isa_avx512.inl.h"

namespace volt {
namespace {

struct Gfni512 : Avx512 {
  template <int constant>
  [[gnu::always_inline]] static V affine(V v, long long matrix) {
    return _mm512_gf2p8affine_epi64_epi8(v, _mm512_set1_epi64(matrix), constant);
  }
  template <int constant>
  [[gnu::always_inline]] static V inverse_affine(V v, long long matrix) {
    return _mm512_gf2p8affineinv_epi64_epi8(v, _mm512_set1_epi64(matrix), constant);
  }
  [[gnu::always_inline]] static V sum3(V a, V b, V c) {
    return _mm512_ternarylogic_epi32(a, b, c, 0x96);
  }
};

}  // namespace
}  // namespace volt
