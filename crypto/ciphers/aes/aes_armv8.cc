// AES-XTS on ARMv8's AES instructions: eight blocks in flight.
#include "crypto/ciphers/aes/aes_xts.inl.h"
#include "crypto/isa/armv8_aes.inl.h"

namespace volt {

namespace {
using Tweaks = DoubledTweaks<Armv8Aes>;
}  // namespace

extern const XtsKernel kernel_aes_armv8;
constinit const XtsKernel kernel_aes_armv8 =
    aes_row<Armv8Aes, Tweaks, Tweaks, Armv8Aes, aes256_rounds>("armv8");

extern const XtsKernel kernel_aes128_armv8;
constinit const XtsKernel kernel_aes128_armv8 =
    aes_row<Armv8Aes, Tweaks, Tweaks, Armv8Aes, aes128_rounds>("armv8");

}  // namespace volt
