// Twofish-XTS on AVX2 with GFNI: byte-sliced over the 32 blocks of a data unit.
#include "crypto/ciphers/twofish/twofish_mds.inl.h"
#include "crypto/ciphers/twofish/twofish_shuffle_boxes.inl.h"
#include "crypto/ciphers/twofish/twofish_xts.inl.h"
#include "crypto/isa/gfni256.inl.h"

namespace volt {
namespace {

using Boxes = twofish::ShuffleBoxes<Gfni256, twofish::MatrixMds<Gfni256>>;

}  // namespace

extern const XtsKernel kernel_twofish_gfni =
    twofish::Xts<Gfni256, Boxes>::row("gfni", Gfni256::features);

}  // namespace volt
