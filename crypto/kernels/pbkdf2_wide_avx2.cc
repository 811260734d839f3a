// PBKDF2 on Whirlpool: four streams on AVX2, without secret-indexed tables. (Streebog in this form
// takes AVX2 a third longer than tables of words do.)
#include "crypto/isa/avx2.inl.h"
#include "crypto/kernels/pbkdf2_kernel.h"
#include "crypto/kernels/whirlpool_slices.inl.h"

namespace volt {

extern constinit const Pbkdf2Kernel pbkdf2_whirlpool_avx2 = {
    PrfId::whirlpool, "avx2", Avx2::features, 4, 2100, WhirlpoolSliceLoop<Avx2>::iterate};

}  // namespace volt
