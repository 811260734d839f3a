// Camellia's S-boxes by GFNI: two instructions, an affine map and an inversion with another.
#pragma once

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/camellia_box.inl.h"
#include "crypto/kernels/gfni_matrix.inl.h"

namespace volt::camellia {

// `Gfni` has affine<constant>(v, matrix) and inverse_affine<constant>(v, matrix) on registers V.
template <class Gfni>
struct FieldBoxes {
  using V = typename Gfni::V;

  template <int box>
  static VOLT_INLINE V substitute(V v) {
    constexpr Affine in = input_map(box), out = output_map(box);
    constexpr long long in_matrix = gfni_matrix(in.column), out_matrix = gfni_matrix(out.column);
    return Gfni::template inverse_affine<out.constant>(
        Gfni::template affine<in.constant>(v, in_matrix), out_matrix);
  }
};

}  // namespace volt::camellia
