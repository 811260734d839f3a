// Twofish-XTS on SSSE3: byte-sliced over 16 blocks, half a data unit.
#include "crypto/ciphers/twofish/twofish_mds.inl.h"
#include "crypto/ciphers/twofish/twofish_shuffle_boxes.inl.h"
#include "crypto/ciphers/twofish/twofish_xts.inl.h"
#include "crypto/isa/ssse3.inl.h"

namespace volt {
namespace {

using Boxes = twofish::ShuffleBoxes<Ssse3, twofish::ShuffleMds<Ssse3>>;

}  // namespace

extern const XtsKernel kernel_twofish_ssse3 =
    twofish::Xts<Ssse3, Boxes>::row("ssse3", Ssse3::features);

}  // namespace volt
