// AVX2 with GFNI as the kernel templates see it.
#pragma once

#include "crypto/kernels/isa_avx2.inl.h"

namespace volt {
namespace {

struct Gfni256 : Avx2 {
  template <int constant>
  [[gnu::always_inline]] static V affine(V v, long long matrix) {
    return _mm256_gf2p8affine_epi64_epi8(v, _mm256_set1_epi64x(matrix), constant);
  }
  template <int constant>
  [[gnu::always_inline]] static V inverse_affine(V v, long long matrix) {
    return _mm256_gf2p8affineinv_epi64_epi8(v, _mm256_set1_epi64x(matrix), constant);
  }
  [[gnu::always_inline]] static V sum3(V a, V b, V c) { return bit_xor(bit_xor(a, b), c); }
};

}  // namespace
}  // namespace volt
