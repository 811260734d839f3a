// PBKDF2 on Whirlpool and Streebog: eight streams on AVX-512, without secret-indexed tables.
#include "crypto/cpu_features.h"
#include "crypto/kernels/pbkdf2_kernel.h"
#include "crypto/kernels/streebog_slices.inl.h"
#include "crypto/kernels/whirlpool_slices.inl.h"
#include "crypto/kernels/wide_avx512.inl.h"

namespace volt {
namespace {

constexpr std::uint32_t features = cpu_avx512f | cpu_avx512bw;

}  // namespace

extern constinit const Pbkdf2Kernel pbkdf2_whirlpool_avx512 = {
    PrfId::whirlpool, "avx512", features, 8, 1500, WhirlpoolSliceLoop<Avx512Bytes>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_streebog_avx512 = {
    PrfId::streebog, "avx512", features, 8, 10500, StreebogSliceLoop<Avx512Bytes>::iterate};

}  // namespace volt
