// Kuznyechik-XTS on AVX2: byte-sliced over the 32 blocks of a data unit.
#include "crypto/cpu_features.h"
#include "crypto/kernels/isa_avx2.inl.h"
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
    byteslice::Xts<Isa, Cipher>::row("avx2", cpu_avx | cpu_avx2);

}  // namespace volt
