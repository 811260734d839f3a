// AES-XTS on VAES: 256-bit registers, 16 blocks in flight.
#include "crypto/ciphers/aes/aes_xts.inl.h"
#include "crypto/isa/aesni.inl.h"
#include "crypto/isa/avx2.inl.h"

namespace volt {

extern const XtsKernel kernel_aes_vaes;
constinit const XtsKernel kernel_aes_vaes =
    aes_row<Vaes256, UnitTweaks<Vaes256>, UnitTweaks<Vaes256>, Aesni, aes256_rounds>("vaes");

extern const XtsKernel kernel_aes128_vaes;
constinit const XtsKernel kernel_aes128_vaes =
    aes_row<Vaes256, UnitTweaks<Vaes256>, UnitTweaks<Vaes256>, Aesni, aes128_rounds>("vaes");

}  // namespace volt
