// AES-XTS on VAES: 512-bit registers, 32 blocks in flight; 64 where AES-256 has
// large units (AES-128 has fewer rounds between which to compute their tweaks).
#include "crypto/ciphers/aes/aes_xts.inl.h"
#include "crypto/isa/aesni.inl.h"
#include "crypto/isa/avx512.inl.h"

namespace volt {

extern const XtsKernel kernel_aes_vaes512;
constinit const XtsKernel kernel_aes_vaes512 =
    aes_row<Vaes512, UnitTweaks<Vaes512>, UnitTweaks<Vaes512, 16>, Aesni, aes256_rounds>("vaes512");

extern const XtsKernel kernel_aes128_vaes512;
constinit const XtsKernel kernel_aes128_vaes512 =
    aes_row<Vaes512, UnitTweaks<Vaes512>, UnitTweaks<Vaes512>, Aesni, aes128_rounds>("vaes512");

}  // namespace volt
