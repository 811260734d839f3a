// Kuznyechik-XTS on AVX-512 with VBMI and GFNI: byte-sliced over the 64 blocks of two data units.
#include <type_traits>
#include <utility>

#include "crypto/cpu_features.h"
#include "crypto/kernels/isa_avx512.inl.h"
#include "crypto/kernels/kuznyechik_field.inl.h"
#include "crypto/kernels/kuznyechik_rounds.inl.h"
#include "crypto/kernels/sliced_sets.inl.h"
#include "crypto/kernels/sliced_xts.inl.h"

namespace volt {
namespace {

using Isa = byteslice::Sliced<Avx512>;

// The matrix that gf2p8affineqb takes for a product by `factor`: byte 7 - i tells which input bits
// make output bit i.
constexpr long long product_matrix(unsigned factor) {
  std::uint64_t matrix = 0;
  for (unsigned input = 0; input < 8; ++input) {
    const std::uint64_t column = kuznyechik::product(factor, 1U << input);
    for (unsigned output = 0; output < 8; ++output) {
      matrix |= ((column >> output) & 1U) << (8 * (7 - output) + input);
    }
  }
  return static_cast<long long>(matrix);
}

struct alignas(64) Tables {
  std::uint8_t entry[2][256] = {};
  constexpr Tables() {
    for (int i = 0; i < 256; ++i) {
      entry[0][i] = kuznyechik::inverse_pi.entry[i];
      entry[1][i] = gost_pi[i];
    }
  }
};
constexpr Tables tables;

struct PermuteField {
  using V = __m512i;
  using Byte = V;
  [[gnu::always_inline]] static Byte byte_of(V v) { return v; }
  [[gnu::always_inline]] static V whole(Byte byte) { return byte; }

  // Two look-ups in 128 entries, joined by the index's top bit.
  template <bool encrypting>
  [[gnu::always_inline]] static V substitute(V v) {
    const std::uint8_t* table = tables.entry[encrypting ? 1 : 0];
    const V low =
        _mm512_permutex2var_epi8(_mm512_load_si512(table), v, _mm512_load_si512(table + 64));
    const V high =
        _mm512_permutex2var_epi8(_mm512_load_si512(table + 128), v, _mm512_load_si512(table + 192));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(v), low, high);
  }

  template <int factor>
  [[gnu::always_inline]] static V times(V v) {
    constexpr long long matrix = product_matrix(kuznyechik::factors[factor]);
    return _mm512_gf2p8affine_epi64_epi8(v, _mm512_set1_epi64(matrix), 0);
  }
  [[gnu::always_inline]] static V sum3(V a, V b, V c) {
    return _mm512_ternarylogic_epi32(a, b, c, 0x96);
  }

  template <int i, class At>
  [[gnu::always_inline]] static V pair(At at) {
    using kuznyechik::Number;
    return times<i>(_mm512_xor_si512(at(Number<i>()), at(Number<14 - i>())));
  }
  template <class At>
  [[gnu::always_inline]] static V combine(At at) {
    using kuznyechik::Number;
    // The newest byte is at one end of the numbering: the ends come last.
    const V middle = sum3(sum3(at(Number<6>()), at(Number<8>()), times<7>(at(Number<7>()))),
                          sum3(pair<3>(at), pair<4>(at), pair<5>(at)), pair<2>(at));
    return _mm512_xor_si512(sum3(middle, at(Number<15>()), pair<1>(at)), pair<0>(at));
  }
};

using Cipher = kuznyechik::Cipher<Isa, PermuteField>;

}  // namespace

extern const XtsKernel kernel_kuznyechik_avx512;
constinit const XtsKernel kernel_kuznyechik_avx512 =
    byteslice::Xts<Isa, Cipher>::row("avx512", cpu_avx | cpu_avx2 | cpu_avx512f | cpu_avx512bw |
                                                   cpu_avx512vbmi | cpu_gfni | cpu_vpclmul);

}  // namespace volt
