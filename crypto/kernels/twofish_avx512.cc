// Twofish-XTS on AVX-512 with VBMI and GFNI: byte-sliced over the 64 blocks of two data units.
#include "crypto/isa/gfni512.inl.h"
#include "crypto/kernels/twofish_mds.inl.h"
#include "crypto/kernels/twofish_xts.inl.h"

namespace volt {
namespace {

// S-boxes as permutations of registers: two look-ups in 128 bytes, joined by the index's top bit.
struct PermuteBoxes : twofish::MatrixMds<Gfni512> {
  struct Key {
    alignas(64) std::uint8_t s_box[4][256];
    std::uint32_t subkey[40];
  };

  // S-box `j` of every byte of the registers `x`.
  template <int count>
  static VOLT_INLINE void substitute(const Key& key, int j, V (&x)[count]) {
    const Gfni512::Table box = Gfni512::table256(key.s_box[j]);
    for (int i = 0; i < count; ++i) x[i] = Gfni512::look_up(box, x[i]);
  }

  static void lay_out(const TwofishKey& expanded, Key& key) {
    __builtin_memcpy(key.s_box, expanded.s_box, sizeof key.s_box);
  }
};

}  // namespace

extern const XtsKernel kernel_twofish_avx512 = twofish::Xts<Gfni512, PermuteBoxes>::row(
    "avx512", Gfni512::features_tables | Gfni512::features_carryless);

}  // namespace volt
