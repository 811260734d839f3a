// Twofish-XTS on AVX2 with GFNI: byte-sliced over the 32 blocks of a data unit.
#include "crypto/isa/gfni256.inl.h"
#include "crypto/kernels/twofish_mds.inl.h"
#include "crypto/kernels/twofish_shuffle_boxes.inl.h"
#include "crypto/kernels/twofish_xts.inl.h"

namespace volt {
namespace {

using Boxes = twofish::ShuffleBoxes<Gfni256, twofish::MatrixMds<Gfni256>>;

}  // namespace

extern const XtsKernel kernel_twofish_gfni =
    twofish::Xts<Gfni256, Boxes>::row("gfni", Gfni256::features);

}  // namespace volt
