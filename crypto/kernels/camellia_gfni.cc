// Camellia-XTS on AVX2 with GFNI: byte-sliced over the 32 blocks of a data unit.
#include "crypto/isa/gfni256.inl.h"
#include "crypto/kernels/camellia_field_boxes.inl.h"
#include "crypto/kernels/camellia_rounds.inl.h"
#include "crypto/kernels/sliced_sets.inl.h"
#include "crypto/kernels/sliced_xts.inl.h"

namespace volt {
namespace {

using Isa = byteslice::Sliced<Gfni256>;
using Cipher = camellia::Cipher<Isa, camellia::FieldBoxes<Gfni256>>;

}  // namespace

extern const XtsKernel kernel_camellia_gfni;
constinit const XtsKernel kernel_camellia_gfni =
    byteslice::Xts<Isa, Cipher>::row("gfni", Gfni256::features);

}  // namespace volt
