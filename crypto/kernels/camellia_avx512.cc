// Camellia-XTS on AVX-512 with GFNI: byte-sliced over the 64 blocks of two data units.
#include "crypto/cpu_features.h"
#include "crypto/kernels/camellia_field_boxes.inl.h"
#include "crypto/kernels/camellia_rounds.inl.h"
#include "crypto/kernels/isa_gfni512.inl.h"
#include "crypto/kernels/sliced_sets.inl.h"
#include "crypto/kernels/sliced_xts.inl.h"

namespace volt {
namespace {

using Isa = byteslice::Sliced<Gfni512>;
using Cipher = camellia::Cipher<Isa, camellia::FieldBoxes<Gfni512>>;

}  // namespace

extern const XtsKernel kernel_camellia_avx512;
constinit const XtsKernel kernel_camellia_avx512 = byteslice::Xts<Isa, Cipher>::row(
    "avx512", cpu_avx | cpu_avx2 | cpu_avx512f | cpu_avx512bw | cpu_gfni | cpu_vpclmul);

}  // namespace volt
