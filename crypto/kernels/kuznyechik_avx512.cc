// Kuznyechik-XTS on AVX-512 with VBMI and GFNI: byte-sliced over the 64 blocks of two data units.
#include "crypto/isa/gfni512.inl.h"
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
  static VOLT_INLINE V substitute(V v) {
    return Gfni512::look_up(Gfni512::table256(tables.entry[encrypting ? 1 : 0]), v);
  }
};

using Cipher = kuznyechik::Cipher<Isa, PermuteField>;

}  // namespace

extern const XtsKernel kernel_kuznyechik_avx512;
constinit const XtsKernel kernel_kuznyechik_avx512 = byteslice::Xts<Isa, Cipher>::row(
    "avx512", Gfni512::features_tables | Gfni512::features_carryless);

}  // namespace volt
