// Serpent-XTS on AVX2: two sets of eight blocks.
#include "crypto/isa/avx2.inl.h"
#include "crypto/kernels/serpent_lanes.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {
namespace {

using One = serpent::Lanes<Avx2>;
using Two = serpent::Join<One, One>;

}  // namespace

extern const XtsKernel kernel_serpent_avx2;
constinit const XtsKernel kernel_serpent_avx2 = {
    CipherId::serpent,
    "avx2",
    Avx2::features,
    true,
    sizeof(SerpentSchedule<One::key_copies>),
    serpent_expand_folded,
    nullptr,
    serpent::crypt_units<Two, Two, Two, One, true>,
    serpent::crypt_units<Two, Two, Two, One, false>,
};

}  // namespace volt
