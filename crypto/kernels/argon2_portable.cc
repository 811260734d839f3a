// Argon2's compression function on plain words, and the choice among the instruction sets.
#include <array>

#include "crypto/kernels/argon2_block.inl.h"

// crypto/meson.build passes the SIMD rows that it compiles, fastest first.
#ifndef VOLT_SIMD_ARGON2
#define VOLT_SIMD_ARGON2
#endif

namespace volt {

#define X(name) extern const Argon2Kernel name;
VOLT_SIMD_ARGON2
#undef X

namespace {

// Four words, by the names of the instruction sets.
struct PlainWords {
  struct V {
    std::uint64_t w[4];
  };
  static constexpr int rows = 1;
  static constexpr int row_sets = 2;

  template <class Function>
  static VOLT_INLINE V each(const Function& function) {
    return {{function(0), function(1), function(2), function(3)}};
  }
  static VOLT_INLINE V load_row(const std::uint64_t* p) {
    return each([&](int i) { return p[i]; });
  }
  static VOLT_INLINE void store_row(std::uint64_t* p, const V& x) {
    for (int i = 0; i < 4; ++i) p[i] = x.w[i];
  }
  // Two words of a row and the two below them.
  static VOLT_INLINE V load_column(const std::uint64_t* p) { return {{p[0], p[1], p[16], p[17]}}; }
  static VOLT_INLINE void store_column(std::uint64_t* p, const V& x) {
    p[0] = x.w[0];
    p[1] = x.w[1];
    p[16] = x.w[2];
    p[17] = x.w[3];
  }
  static VOLT_INLINE V bit_xor(const V& x, const V& y) {
    return each([&](int i) { return x.w[i] ^ y.w[i]; });
  }
  static VOLT_INLINE V add64(const V& x, const V& y) {
    return each([&](int i) { return x.w[i] + y.w[i]; });
  }
  static VOLT_INLINE V multiply_low32(const V& x, const V& y) {
    return each([&](int i) { return (x.w[i] & 0xFFFFFFFFU) * (y.w[i] & 0xFFFFFFFFU); });
  }
  template <int n>
  static VOLT_INLINE V rotate_right64(const V& x) {
    return each([&](int i) { return (x.w[i] >> n) | (x.w[i] << (64 - n)); });
  }
  // Word i becomes word i + n.
  template <int n>
  static VOLT_INLINE V turn64(const V& x) {
    return {{x.w[n & 3], x.w[(n + 1) & 3], x.w[(n + 2) & 3], x.w[(n + 3) & 3]}};
  }
};

constexpr Argon2Kernel portable = {"portable", 0, argon2_compress<PlainWords>};

#define X(name) &name,
constexpr std::array kernels{VOLT_SIMD_ARGON2 & portable};
#undef X

}  // namespace

const Argon2Kernel& select_argon2_kernel(std::uint32_t features) noexcept {
  for (const Argon2Kernel* kernel : kernels) {
    if ((kernel->required_features & ~features) == 0) return *kernel;
  }
  return portable;
}

}  // namespace volt
