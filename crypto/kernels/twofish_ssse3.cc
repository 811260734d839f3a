// Twofish-XTS on SSSE3: byte-sliced over 16 blocks, half a data unit.
#include "crypto/isa/ssse3.inl.h"
#include "crypto/kernels/twofish_mds.inl.h"
#include "crypto/kernels/twofish_shuffle_boxes.inl.h"
#include "crypto/kernels/twofish_xts.inl.h"

namespace volt {
namespace {

using Boxes = twofish::ShuffleBoxes<Ssse3, twofish::ShuffleMds<Ssse3>>;

}  // namespace

extern const XtsKernel kernel_twofish_ssse3 =
    twofish::Xts<Ssse3, Boxes>::row("ssse3", Ssse3::features);

}  // namespace volt
