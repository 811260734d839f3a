// AVX2 with GFNI: affine maps of bytes.
#pragma once

#include "crypto/isa/avx2.inl.h"

namespace volt {
namespace {

struct Gfni256 : Avx2 {
  static constexpr std::uint32_t features = Avx2::features | cpu_gfni;

  // matrix * v + constant, and the same of v's inverse in AES's field, byte by byte.
  template <int constant>
  static VOLT_INLINE V affine(V v, long long matrix) {
    return _mm256_gf2p8affine_epi64_epi8(v, _mm256_set1_epi64x(matrix), constant);
  }
  template <int constant>
  static VOLT_INLINE V inverse_affine(V v, long long matrix) {
    return _mm256_gf2p8affineinv_epi64_epi8(v, _mm256_set1_epi64x(matrix), constant);
  }
};

}  // namespace
}  // namespace volt
