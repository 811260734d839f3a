// Kuznyechik-XTS on AVX-512 with VBMI and GFNI: byte-sliced over the 64 blocks of two data units.
#include "crypto/cpu_features.h"
#include "crypto/kernels/isa_gfni512.inl.h"
#include "crypto/kernels/kuznyechik_matrix_field.inl.h"
#include "crypto/kernels/kuznyechik_rounds.inl.h"
#include "crypto/kernels/sliced_sets.inl.h"
#include "crypto/kernels/sliced_xts.inl.h"

namespace volt {
namespace {

using Isa = byteslice::Sliced<Gfni512>;

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

struct PermuteField : kuznyechik::MatrixField<Gfni512> {
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
};

using Cipher = kuznyechik::Cipher<Isa, PermuteField>;

}  // namespace

extern const XtsKernel kernel_kuznyechik_avx512;
constinit const XtsKernel kernel_kuznyechik_avx512 =
    byteslice::Xts<Isa, Cipher>::row("avx512", cpu_avx | cpu_avx2 | cpu_avx512f | cpu_avx512bw |
                                                   cpu_avx512vbmi | cpu_gfni | cpu_vpclmul);

}  // namespace volt
