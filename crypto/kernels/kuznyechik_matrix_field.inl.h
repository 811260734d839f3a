// Kuznyechik's products by GFNI, one instruction each.
#pragma once

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/gfni_matrix.inl.h"
#include "crypto/kernels/kuznyechik_field.inl.h"

namespace volt::kuznyechik {

constexpr long long product_matrix(unsigned factor) {
  std::uint8_t images[8] = {};
  for (unsigned bit = 0; bit < 8; ++bit) images[bit] = product(factor, 1U << bit);
  return gfni_matrix(images);
}

// `Gfni` has affine<constant>(v, matrix), bit_xor and sum3 on registers V.
template <class Gfni>
struct MatrixField {
  using V = typename Gfni::V;
  using Byte = V;
  static VOLT_INLINE Byte byte_of(V v) { return v; }
  static VOLT_INLINE V whole(Byte byte) { return byte; }

  template <int factor>
  static VOLT_INLINE V times(V v) {
    constexpr long long matrix = product_matrix(factors[factor]);
    return Gfni::template affine<0>(v, matrix);
  }

  template <int i, class At>
  static VOLT_INLINE V pair(At at) {
    return times<i>(Gfni::bit_xor(at(Number<i>()), at(Number<14 - i>())));
  }

  // The newest byte is at one end of the numbering: the ends come last.
  template <class At>
  static VOLT_INLINE V combine(At at) {
    const V centre = Gfni::xor3(at(Number<6>()), at(Number<8>()), times<7>(at(Number<7>())));
    const V middle =
        Gfni::xor3(centre, Gfni::xor3(pair<3>(at), pair<4>(at), pair<5>(at)), pair<2>(at));
    return Gfni::bit_xor(Gfni::xor3(middle, at(Number<15>()), pair<1>(at)), pair<0>(at));
  }
};

}  // namespace volt::kuznyechik
