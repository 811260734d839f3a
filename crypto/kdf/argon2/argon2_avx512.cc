#include "crypto/isa/avx512.inl.h"
#include "crypto/kdf/argon2/argon2_block.inl.h"

namespace volt {
namespace {

// Two rows or columns in one vector.
struct Avx512Rows : Avx512 {
  static constexpr int rows = 2;
  static constexpr int row_sets = 4;

  static VOLT_INLINE V load_row(const std::uint64_t* p) { return load_halves(p, p + 16); }
  static VOLT_INLINE void store_row(std::uint64_t* p, V x) { store_halves(p, p + 16, x); }
  // Four words of a row, two a column, and the four below them.
  static VOLT_INLINE V load_column(const std::uint64_t* p) {
    return exchange_middle(load_halves(p, p + 16));
  }
  static VOLT_INLINE void store_column(std::uint64_t* p, V x) { store_row(p, exchange_middle(x)); }
};

}  // namespace

extern constinit const Argon2Kernel argon2_avx512 = {"avx512", Avx512::features,
                                                     argon2_compress<Avx512Rows>};

}  // namespace volt
