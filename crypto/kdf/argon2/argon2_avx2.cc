#include "crypto/isa/avx2.inl.h"
#include "crypto/kdf/argon2/argon2_block.inl.h"

namespace volt {
namespace {

struct Avx2Row : Avx2 {
  static constexpr int rows = 1;
  static constexpr int row_sets = 2;

  static VOLT_INLINE V load_row(const std::uint64_t* p) { return load(p); }
  static VOLT_INLINE void store_row(std::uint64_t* p, V x) { store(p, x); }
  // Two words of a row and the two below them.
  static VOLT_INLINE V load_column(const std::uint64_t* p) { return load_halves(p, p + 16); }
  static VOLT_INLINE void store_column(std::uint64_t* p, V x) { store_halves(p, p + 16, x); }
};

}  // namespace

extern constinit const Argon2Kernel argon2_avx2 = {"avx2", Avx2::features,
                                                   argon2_compress<Avx2Row>};

}  // namespace volt
