// Serpent-XTS on NEON, which every ARMv8 processor has: two sets of four blocks.
#include "crypto/ciphers/serpent/serpent_lanes.inl.h"
#include "crypto/isa/neon.inl.h"

namespace volt {
namespace {

using One = serpent::Lanes<Neon>;
using Two = serpent::Join<One, One>;

}  // namespace

extern const XtsKernel kernel_serpent_neon;
constinit const XtsKernel kernel_serpent_neon =
    serpent::row<Two, Two, Two, One>("neon", Neon::features, serpent_expand_folded);

}  // namespace volt
