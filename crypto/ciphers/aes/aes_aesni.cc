// AES-XTS on AES-NI: 128-bit registers, eight blocks in flight, no AVX.
#include "crypto/ciphers/aes/aes_xts.inl.h"
#include "crypto/isa/aesni.inl.h"

namespace volt {

extern const XtsKernel kernel_aes_aesni;
constinit const XtsKernel kernel_aes_aesni =
    aes_row<Aesni, DoubledTweaks<Aesni>, DoubledTweaks<Aesni>, Aesni, aes256_rounds>("aesni");

extern const XtsKernel kernel_aes128_aesni;
constinit const XtsKernel kernel_aes128_aesni =
    aes_row<Aesni, DoubledTweaks<Aesni>, DoubledTweaks<Aesni>, Aesni, aes128_rounds>("aesni");

}  // namespace volt
