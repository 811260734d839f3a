// Serpent-XTS on AVX-512: sets of sixteen blocks, S-boxes by three-input logic, rotations by one
// instruction.
#include "crypto/isa/avx512.inl.h"
#include "crypto/kernels/serpent_lanes.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {
namespace {

using One = serpent::Lanes<Avx512>;
using Two = serpent::Join<One, One>;
using Four = serpent::Join<Two, Two>;

}  // namespace

extern const XtsKernel kernel_serpent_avx512;
constinit const XtsKernel kernel_serpent_avx512 = {
    CipherId::serpent,
    "avx512",
    Avx512::features_bytes | cpu_avx512vl,
    true,
    sizeof(SerpentSchedule<One::key_copies>),
    serpent_expand_plain,
    nullptr,
    serpent::crypt_units<Four, Two, Two, One, true>,
    serpent::crypt_units<Four, Two, Two, One, false>,
};

}  // namespace volt
