// Kuznyechik-XTS on AVX2: byte-sliced over the 32 blocks of a data unit.
#include "crypto/ciphers/kuznyechik/kuznyechik_rounds.inl.h"
#include "crypto/ciphers/kuznyechik/kuznyechik_shuffle_field.inl.h"
#include "crypto/isa/avx2.inl.h"
#include "crypto/modes/sliced_sets.inl.h"
#include "crypto/modes/sliced_xts.inl.h"

namespace volt {
namespace {

using Isa = byteslice::Sliced<Avx2>;
using Cipher = kuznyechik::Cipher<Isa, kuznyechik::ShuffleField<Isa>>;

}  // namespace

extern const XtsKernel kernel_kuznyechik_avx2;
constinit const XtsKernel kernel_kuznyechik_avx2 =
    byteslice::Xts<Isa, Cipher>::row("avx2", Avx2::features);

}  // namespace volt
