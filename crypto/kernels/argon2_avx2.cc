#include <immintrin.h>

#include "crypto/cpu_features.h"
#include "crypto/kernels/argon2_block.inl.h"

namespace volt {
namespace {

struct Avx2Row {
  using V = __m256i;
  static constexpr int rows = 1;
  static constexpr int row_sets = 2;

  static VOLT_ARGON2_INLINE const __m128i* half(const std::uint64_t* p) {
    return reinterpret_cast<const __m128i*>(p);
  }
  static VOLT_ARGON2_INLINE V load_row(const std::uint64_t* p) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
  }
  static VOLT_ARGON2_INLINE void store_row(std::uint64_t* p, V x) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(p), x);
  }
  // Two words of a row and the two below them.
  static VOLT_ARGON2_INLINE V load_column(const std::uint64_t* p) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128(half(p))),
                                   _mm_load_si128(half(p + 16)), 1);
  }
  static VOLT_ARGON2_INLINE void store_column(std::uint64_t* p, V x) {
    _mm_store_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(x));
    _mm_store_si128(reinterpret_cast<__m128i*>(p + 16), _mm256_extracti128_si256(x, 1));
  }
  static VOLT_ARGON2_INLINE V exclusive_or(V x, V y) { return _mm256_xor_si256(x, y); }
  static VOLT_ARGON2_INLINE V add_product(V x, V y) {
    const V product = _mm256_mul_epu32(x, y);
    return _mm256_add_epi64(_mm256_add_epi64(x, y), _mm256_add_epi64(product, product));
  }
  static VOLT_ARGON2_INLINE V rotate32(V x) { return _mm256_shuffle_epi32(x, 0xB1); }
  static VOLT_ARGON2_INLINE V rotate24(V x) {
    const V order = _mm256_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10, 3, 4, 5,
                                     6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10);
    return _mm256_shuffle_epi8(x, order);
  }
  static VOLT_ARGON2_INLINE V rotate16(V x) {
    const V order = _mm256_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9, 2, 3, 4,
                                     5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9);
    return _mm256_shuffle_epi8(x, order);
  }
  static VOLT_ARGON2_INLINE V rotate63(V x) {
    return _mm256_xor_si256(_mm256_srli_epi64(x, 63), _mm256_add_epi64(x, x));
  }
  // Word i becomes word i + n.
  template <int n>
  static VOLT_ARGON2_INLINE V turn(V x) {
    return _mm256_permute4x64_epi64(
        x, (n & 3) | ((n + 1) & 3) << 2 | ((n + 2) & 3) << 4 | ((n + 3) & 3) << 6);
  }
};

}  // namespace

extern constinit const Argon2Kernel argon2_avx2 = {"avx2", cpu_avx2, argon2_compress<Avx2Row>};

}  // namespace volt
