// PBKDF2 on Whirlpool: four streams on AVX2, without secret-indexed tables. (Streebog in this form
// takes AVX2 a third longer than tables of words do.)
#include <immintrin.h>

#include "crypto/cpu_features.h"
#include "crypto/kernels/pbkdf2_kernel.h"
#include "crypto/kernels/whirlpool_slices.inl.h"

namespace volt {
namespace {

// What Whirlpool asks of them.
struct Avx2Bytes {
  using V = __m256i;
  static constexpr std::size_t streams = 4;
  static constexpr bool maps_bytes = false;

  static VOLT_WIDE_INLINE V load(const Nibbles& bytes) {
    return _mm256_broadcastsi128_si256(
        _mm_load_si128(reinterpret_cast<const __m128i*>(bytes.byte)));
  }
  static VOLT_WIDE_INLINE V broadcast(char byte) { return _mm256_set1_epi8(byte); }
  static VOLT_WIDE_INLINE V shuffle(V table, V index) { return _mm256_shuffle_epi8(table, index); }
  static VOLT_WIDE_INLINE V low_nibbles(V x) { return _mm256_and_si256(x, broadcast(15)); }
  static VOLT_WIDE_INLINE V high_nibbles(V x) { return low_nibbles(_mm256_srli_epi16(x, 4)); }
  static VOLT_WIDE_INLINE V exclusive_or(V x, V y) { return _mm256_xor_si256(x, y); }
};

}  // namespace

extern constinit const Pbkdf2Kernel pbkdf2_whirlpool_avx2 = {
    PrfId::whirlpool, "avx2", cpu_avx2, 4, 2100, WhirlpoolSliceLoop<Avx2Bytes>::iterate};
}  // namespace volt
