// Serpent-XTS on SSE2, which every x86-64 processor has: two sets of four blocks.
#include "crypto/isa/sse2.inl.h"
#include "crypto/kernels/serpent_lanes.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {
namespace {

using One = serpent::Lanes<Sse2>;
using Two = serpent::Join<One, One>;

}  // namespace

extern const XtsKernel kernel_serpent_sse2;
constinit const XtsKernel kernel_serpent_sse2 = {
    CipherId::serpent,
    "sse2",
    Sse2::features,
    true,
    sizeof(SerpentSchedule<One::key_copies>),
    serpent_expand_folded4,
    nullptr,
    serpent::crypt_units<Two, Two, Two, One, true>,
    serpent::crypt_units<Two, Two, Two, One, false>,
};

}  // namespace volt
