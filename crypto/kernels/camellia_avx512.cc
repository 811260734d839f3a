// Camellia-XTS on AVX-512 with GFNI: byte-sliced over the 64 blocks of two data units.
#include "crypto/isa/gfni512.inl.h"
#include "crypto/kernels/camellia_field_boxes.inl.h"
#include "crypto/kernels/camellia_rounds.inl.h"
#include "crypto/kernels/sliced_sets.inl.h"
#include "crypto/kernels/sliced_xts.inl.h"

namespace volt {
namespace {

using Isa = byteslice::Sliced<Gfni512>;
using Cipher = camellia::Cipher<Isa, camellia::FieldBoxes<Gfni512>>;

}  // namespace

extern const XtsKernel kernel_camellia_avx512;
constinit const XtsKernel kernel_camellia_avx512 =
    byteslice::Xts<Isa, Cipher>::row("avx512", Gfni512::features | Gfni512::features_carryless);

}  // namespace volt
