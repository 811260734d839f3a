// Twofish-XTS on AVX-512 with VBMI and GFNI: byte-sliced over the 64 blocks of two data units.
#include "crypto/cpu_features.h"
#include "crypto/kernels/isa_gfni512.inl.h"
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
  [[gnu::always_inline]] static void substitute(const Key& key, int j, V (&x)[count]) {
    const V box0 = _mm512_load_si512(key.s_box[j]);
    const V box1 = _mm512_load_si512(key.s_box[j] + 64);
    const V box2 = _mm512_load_si512(key.s_box[j] + 128);
    const V box3 = _mm512_load_si512(key.s_box[j] + 192);
    for (int i = 0; i < count; ++i) {
      const V low = _mm512_permutex2var_epi8(box0, x[i], box1);
      const V high = _mm512_permutex2var_epi8(box2, x[i], box3);
      x[i] = _mm512_mask_blend_epi8(_mm512_movepi8_mask(x[i]), low, high);
    }
  }

  static void lay_out(const TwofishKey& expanded, Key& key) {
    __builtin_memcpy(key.s_box, expanded.s_box, sizeof key.s_box);
  }
};

}  // namespace

extern const XtsKernel kernel_twofish_avx512 = twofish::Xts<Gfni512, PermuteBoxes>::row(
    "avx512",
    cpu_avx | cpu_avx2 | cpu_avx512f | cpu_avx512bw | cpu_avx512vbmi | cpu_gfni | cpu_vpclmul);

}  // namespace volt
