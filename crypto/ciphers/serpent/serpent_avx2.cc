// Serpent-XTS on AVX2: two sets of eight blocks.
#include "crypto/ciphers/serpent/serpent_lanes.inl.h"
#include "crypto/isa/avx2.inl.h"

namespace volt {
namespace {

using One = serpent::Lanes<Avx2>;
using Two = serpent::Join<One, One>;

}  // namespace

extern const XtsKernel kernel_serpent_avx2;
constinit const XtsKernel kernel_serpent_avx2 =
    serpent::row<Two, Two, Two, One>("avx2", Avx2::features, serpent_expand_folded);

}  // namespace volt
