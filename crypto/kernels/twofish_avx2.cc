// Twofish-XTS on AVX2: byte-sliced over the 32 blocks of a data unit.
#include "crypto/isa/avx2.inl.h"
#include "crypto/kernels/twofish_mds.inl.h"
#include "crypto/kernels/twofish_shuffle_boxes.inl.h"
#include "crypto/kernels/twofish_xts.inl.h"

namespace volt {
namespace {

using Boxes = twofish::ShuffleBoxes<Avx2, twofish::ShuffleMds<Avx2>>;

}  // namespace

extern const XtsKernel kernel_twofish_avx2 = twofish::Xts<Avx2, Boxes>::row("avx2", Avx2::features);

}  // namespace volt
