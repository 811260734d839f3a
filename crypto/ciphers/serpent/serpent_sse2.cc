// Serpent-XTS on SSE2, which every x86-64 processor has: two sets of four blocks.
#include "crypto/ciphers/serpent/serpent_lanes.inl.h"
#include "crypto/isa/sse2.inl.h"

namespace volt {
namespace {

using One = serpent::Lanes<Sse2>;
using Two = serpent::Join<One, One>;

}  // namespace

extern const XtsKernel kernel_serpent_sse2;
constinit const XtsKernel kernel_serpent_sse2 =
    serpent::row<Two, Two, Two, One>("sse2", Sse2::features, serpent_expand_folded4);

}  // namespace volt
