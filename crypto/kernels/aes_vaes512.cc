// AES-256-XTS on VAES: 512-bit registers, 32 blocks in flight.
#include "crypto/isa/aesni.inl.h"
#include "crypto/isa/avx512.inl.h"
#include "crypto/kernels/aes_xts.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {

extern const XtsKernel kernel_aes_vaes512 = {
    CipherId::aes,
    "vaes512",
    Vaes512::features,
    true,
    sizeof(AesXtsSchedule),
    expand_aes_xts<Aesni>,
    nullptr,
    crypt_units<Vaes512, UnitTweaks<Vaes512>, true>,
    crypt_units<Vaes512, UnitTweaks<Vaes512>, false>,
};

}  // namespace volt
