// PBKDF2 on Whirlpool and Streebog: eight streams on AVX-512, without secret-indexed tables.
#include "crypto/isa/avx512.inl.h"
#include "crypto/kernels/pbkdf2_kernel.h"
#include "crypto/kernels/streebog_slices.inl.h"
#include "crypto/kernels/whirlpool_slices.inl.h"

namespace volt {
namespace {

constexpr std::uint32_t features = Avx512::features_bytes;

}  // namespace

extern constinit const Pbkdf2Kernel pbkdf2_whirlpool_avx512 = {
    PrfId::whirlpool, "avx512", features, 8, 1500, WhirlpoolSliceLoop<Avx512>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_streebog_avx512 = {
    PrfId::streebog, "avx512", features, 8, 10500, StreebogSliceLoop<Avx512>::iterate};

}  // namespace volt
