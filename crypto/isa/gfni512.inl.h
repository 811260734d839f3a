// AVX-512 with GFNI and, for those that ask for it, VBMI: affine maps and tables of bytes.
#pragma once

#include "crypto/isa/avx512.inl.h"

namespace volt {
namespace {

struct Gfni512 : Avx512 {
  static constexpr std::uint32_t features = Avx512::features_bytes | cpu_gfni;
  static constexpr std::uint32_t features_tables = features | cpu_avx512vbmi;

  template <int constant>
  static VOLT_INLINE V affine(V v, long long matrix) {
    return _mm512_gf2p8affine_epi64_epi8(v, _mm512_set1_epi64(matrix), constant);
  }
  template <int constant>
  static VOLT_INLINE V inverse_affine(V v, long long matrix) {
    return _mm512_gf2p8affineinv_epi64_epi8(v, _mm512_set1_epi64(matrix), constant);
  }

  // A table of 256 bytes fits four registers.
  struct Table {
    V part[4];
  };
  static VOLT_INLINE Table table256(const std::uint8_t* entries) {
    return {{load(entries), load(entries + 64), load(entries + 128), load(entries + 192)}};
  }
  // Two look-ups in 128 entries, joined by the index's top bit (VBMI).
  static VOLT_INLINE V look_up(const Table& table, V index) {
    const V low = _mm512_permutex2var_epi8(table.part[0], index, table.part[1]);
    const V high = _mm512_permutex2var_epi8(table.part[2], index, table.part[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
  }
};

}  // namespace
}  // namespace volt
