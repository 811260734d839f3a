// PBKDF2 on Whirlpool and Streebog: eight streams on AVX-512 with VBMI and GFNI.
#include "crypto/cpu_features.h"
#include "crypto/kernels/pbkdf2_kernel.h"
#include "crypto/kernels/streebog_slices.inl.h"
#include "crypto/kernels/whirlpool_slices.inl.h"
#include "crypto/kernels/wide_avx512.inl.h"

namespace volt {
namespace {

// A table of 256 bytes fits four registers, and a linear map of bytes is one instruction.
struct GfniBytes : Avx512Bytes {
  static constexpr bool maps_bytes = true;

  struct Table {
    V part[4];
  };
  static VOLT_WIDE_INLINE Table table(const std::uint8_t (&bytes)[256]) {
    return {{_mm512_loadu_si512(bytes), _mm512_loadu_si512(bytes + 64),
             _mm512_loadu_si512(bytes + 128), _mm512_loadu_si512(bytes + 192)}};
  }
  static VOLT_WIDE_INLINE V look_up(const Table& table, V index) {
    const V low = _mm512_permutex2var_epi8(table.part[0], index, table.part[1]);
    const V high = _mm512_permutex2var_epi8(table.part[2], index, table.part[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
  }
  static VOLT_WIDE_INLINE V linear(V x, long long matrix) {
    return _mm512_gf2p8affine_epi64_epi8(x, _mm512_set1_epi64(matrix), 0);
  }
};

constexpr std::uint32_t features = cpu_avx512f | cpu_avx512bw | cpu_avx512vbmi | cpu_gfni;

}  // namespace

extern constinit const Pbkdf2Kernel pbkdf2_whirlpool_gfni = {
    PrfId::whirlpool, "gfni", features, 8, 900, WhirlpoolSliceLoop<GfniBytes>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_streebog_gfni = {
    PrfId::streebog, "gfni", features, 8, 3600, StreebogSliceLoop<GfniBytes>::iterate};

}  // namespace volt
