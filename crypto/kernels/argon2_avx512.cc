#include <immintrin.h>

#include "crypto/cpu_features.h"
#include "crypto/kernels/argon2_block.inl.h"

namespace volt {
namespace {

// Two rows or columns in one vector.
struct Avx512Rows {
  using V = __m512i;
  static constexpr int rows = 2;
  static constexpr int row_sets = 4;

  static VOLT_ARGON2_INLINE __m256i quarter(const std::uint64_t* p) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
  }
  static VOLT_ARGON2_INLINE V load_row(const std::uint64_t* p) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(quarter(p)), quarter(p + 16), 1);
  }
  static VOLT_ARGON2_INLINE void store_row(std::uint64_t* p, V x) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(p), _mm512_castsi512_si256(x));
    _mm256_store_si256(reinterpret_cast<__m256i*>(p + 16), _mm512_extracti64x4_epi64(x, 1));
  }
  // Four words of a row, two a column, and the four below them.
  static VOLT_ARGON2_INLINE V load_column(const std::uint64_t* p) {
    const V both = _mm512_inserti64x4(_mm512_castsi256_si512(quarter(p)), quarter(p + 16), 1);
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 1, 4, 5, 2, 3, 6, 7), both);
  }
  static VOLT_ARGON2_INLINE void store_column(std::uint64_t* p, V x) {
    store_row(p, _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 1, 4, 5, 2, 3, 6, 7), x));
  }
  static VOLT_ARGON2_INLINE V exclusive_or(V x, V y) { return _mm512_xor_si512(x, y); }
  static VOLT_ARGON2_INLINE V add_product(V x, V y) {
    const V product = _mm512_mul_epu32(x, y);
    return _mm512_add_epi64(_mm512_add_epi64(x, y), _mm512_add_epi64(product, product));
  }
  static VOLT_ARGON2_INLINE V rotate32(V x) { return _mm512_ror_epi64(x, 32); }
  static VOLT_ARGON2_INLINE V rotate24(V x) { return _mm512_ror_epi64(x, 24); }
  static VOLT_ARGON2_INLINE V rotate16(V x) { return _mm512_ror_epi64(x, 16); }
  static VOLT_ARGON2_INLINE V rotate63(V x) { return _mm512_ror_epi64(x, 63); }
  // Word i of each row becomes word i + n.
  template <int n>
  static VOLT_ARGON2_INLINE V turn(V x) {
    return _mm512_permutex_epi64(
        x, (n & 3) | ((n + 1) & 3) << 2 | ((n + 2) & 3) << 4 | ((n + 3) & 3) << 6);
  }
};

}  // namespace

extern constinit const Argon2Kernel argon2_avx512 = {"avx512", cpu_avx512f,
                                                     argon2_compress<Avx512Rows>};

}  // namespace volt
