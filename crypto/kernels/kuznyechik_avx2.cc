// Kuznyechik-XTS on AVX2: byte-sliced over the 32 blocks of a data unit.
#include "crypto/isa/avx2.inl.h"
#include "crypto/kernels/kuznyechik_rounds.inl.h"
#include "crypto/kernels/kuznyechik_shuffle_field.inl.h"
#include "crypto/kernels/sliced_sets.inl.h"
#include "crypto/kernels/sliced_xts.inl.h"

namespace volt {
namespace {

using Isa = byteslice::Sliced<Avx2>;
using Cipher = kuznyechik::Cipher<Isa, kuznyechik::ShuffleField<Isa>>;

}  // namespace

extern const XtsKernel kernel_kuznyechik_avx2;
constinit const XtsKernel kernel_kuznyechik_avx2 =
    byteslice::Xts<Isa, Cipher>::row("avx2", Avx2::features);

}  // namespace volt
