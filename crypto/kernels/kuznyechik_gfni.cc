// Kuznyechik-XTS on AVX2 with GFNI: byte-sliced over the 32 blocks of a data unit.
#include "crypto/isa/gfni256.inl.h"
#include "crypto/kernels/kuznyechik_matrix_field.inl.h"
#include "crypto/kernels/kuznyechik_rounds.inl.h"
#include "crypto/kernels/kuznyechik_shuffle_field.inl.h"
#include "crypto/kernels/sliced_sets.inl.h"
#include "crypto/kernels/sliced_xts.inl.h"

namespace volt {
namespace {

using Isa = byteslice::Sliced<Gfni256>;

struct Field : kuznyechik::MatrixField<Gfni256> {
  template <bool encrypting>
  static VOLT_INLINE V substitute(V v) {
    return kuznyechik::ShuffleField<Gfni256>::substitute<encrypting>(v);
  }
};

using Cipher = kuznyechik::Cipher<Isa, Field>;

}  // namespace

extern const XtsKernel kernel_kuznyechik_gfni;
constinit const XtsKernel kernel_kuznyechik_gfni =
    byteslice::Xts<Isa, Cipher>::row("gfni", Gfni256::features);

}  // namespace volt
