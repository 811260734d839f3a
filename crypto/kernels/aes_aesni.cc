// AES-256-XTS on AES-NI: 128-bit registers, eight blocks in flight, no AVX.
#include "crypto/isa/aesni.inl.h"
#include "crypto/kernels/aes_xts.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {

extern const XtsKernel kernel_aes_aesni = {
    CipherId::aes,
    "aesni",
    Aesni::features,
    true,
    sizeof(AesXtsSchedule),
    expand_aes_xts<Aesni>,
    nullptr,
    crypt_units<Aesni, DoubledTweaks<Aesni>, true>,
    crypt_units<Aesni, DoubledTweaks<Aesni>, false>,
};

}  // namespace volt
