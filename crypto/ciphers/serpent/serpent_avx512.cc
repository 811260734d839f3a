// Serpent-XTS on AVX-512: sets of sixteen blocks, S-boxes by three-input logic, rotations by one
// instruction.
#include "crypto/ciphers/serpent/serpent_lanes.inl.h"
#include "crypto/isa/avx512.inl.h"

namespace volt {
namespace {

using One = serpent::Lanes<Avx512>;
using Two = serpent::Join<One, One>;
using Four = serpent::Join<Two, Two>;

}  // namespace

extern const XtsKernel kernel_serpent_avx512;
constinit const XtsKernel kernel_serpent_avx512 =
    serpent::row<Four, Two, Two, One>("avx512", Avx512::features_narrow, serpent_expand_plain);

}  // namespace volt
