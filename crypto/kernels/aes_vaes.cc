// AES-256-XTS on VAES: 256-bit registers, 16 blocks in flight.
#include "crypto/isa/aesni.inl.h"
#include "crypto/isa/avx2.inl.h"
#include "crypto/kernels/aes_xts.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {

extern const XtsKernel kernel_aes_vaes = {
    CipherId::aes,
    "vaes",
    Vaes256::features,
    true,
    sizeof(AesXtsSchedule),
    expand_aes_xts<Aesni>,
    nullptr,
    crypt_units<Vaes256, UnitTweaks<Vaes256>, true>,
    crypt_units<Vaes256, UnitTweaks<Vaes256>, false>,
};

}  // namespace volt
