#include "crypto/isa/avx2.inl.h"
#include "crypto/kernels/argon2_block.inl.h"

namespace volt {
namespace {

struct Avx2Row : Avx2 {
  static constexpr int rows = 1;
  static constexpr int row_sets = 2;

  static VOLT_INLINE const __m128i* half(const std::uint64_t* p) {
    return reinterpret_cast<const __m128i*>(p);
  }
  static VOLT_INLINE V load_row(const std::uint64_t* p) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
  }
  static VOLT_INLINE void store_row(std::uint64_t* p, V x) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(p), x);
  }
  // Two words of a row and the two below them.
  static VOLT_INLINE V load_column(const std::uint64_t* p) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128(half(p))),
                                   _mm_load_si128(half(p + 16)), 1);
  }
  static VOLT_INLINE void store_column(std::uint64_t* p, V x) {
    _mm_store_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(x));
    _mm_store_si128(reinterpret_cast<__m128i*>(p + 16), _mm256_extracti128_si256(x, 1));
  }
};

}  // namespace

extern constinit const Argon2Kernel argon2_avx2 = {"avx2", Avx2::features,
                                                   argon2_compress<Avx2Row>};

}  // namespace volt
