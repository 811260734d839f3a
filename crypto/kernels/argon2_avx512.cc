#include "crypto/isa/avx512.inl.h"
#include "crypto/kernels/argon2_block.inl.h"

namespace volt {
namespace {

// Two rows or columns in one vector.
struct Avx512Rows : Avx512 {
  static constexpr int rows = 2;
  static constexpr int row_sets = 4;

  static VOLT_INLINE __m256i quarter(const std::uint64_t* p) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
  }
  static VOLT_INLINE V load_row(const std::uint64_t* p) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(quarter(p)), quarter(p + 16), 1);
  }
  static VOLT_INLINE void store_row(std::uint64_t* p, V x) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(p), _mm512_castsi512_si256(x));
    _mm256_store_si256(reinterpret_cast<__m256i*>(p + 16), _mm512_extracti64x4_epi64(x, 1));
  }
  // Four words of a row, two a column, and the four below them.
  static VOLT_INLINE V load_column(const std::uint64_t* p) {
    const V both = _mm512_inserti64x4(_mm512_castsi256_si512(quarter(p)), quarter(p + 16), 1);
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 1, 4, 5, 2, 3, 6, 7), both);
  }
  static VOLT_INLINE void store_column(std::uint64_t* p, V x) {
    store_row(p, _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 1, 4, 5, 2, 3, 6, 7), x));
  }
};

}  // namespace

extern constinit const Argon2Kernel argon2_avx512 = {"avx512", Avx512::features,
                                                     argon2_compress<Avx512Rows>};

}  // namespace volt
