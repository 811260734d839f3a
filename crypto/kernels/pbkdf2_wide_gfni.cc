// PBKDF2 on Whirlpool and Streebog: eight streams on AVX-512 with VBMI and GFNI.
#include "crypto/isa/gfni512.inl.h"
#include "crypto/kernels/pbkdf2_kernel.h"
#include "crypto/kernels/streebog_slices.inl.h"
#include "crypto/kernels/whirlpool_slices.inl.h"

namespace volt {
namespace {

constexpr std::uint32_t features = Gfni512::features_tables;

}  // namespace

extern constinit const Pbkdf2Kernel pbkdf2_whirlpool_gfni = {
    PrfId::whirlpool, "gfni", features, 8, 900, WhirlpoolSliceLoop<Gfni512>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_streebog_gfni = {
    PrfId::streebog, "gfni", features, 8, 3600, StreebogSliceLoop<Gfni512>::iterate};

}  // namespace volt
