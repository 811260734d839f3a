// Twofish-XTS on AVX-512 with VBMI and GFNI: byte-sliced over the 64 blocks of two data units.
#include "crypto/cpu_features.h"
#include "crypto/kernels/isa_avx512.inl.h"
#include "crypto/kernels/twofish_xts.inl.h"

namespace volt {
namespace {

// The matrix that gf2p8affineqb takes for a product by `factor` modulo 0x169: byte 7 - i tells
// which input bits make output bit i.
constexpr std::uint64_t product_matrix(unsigned factor) {
  std::uint64_t matrix = 0;
  unsigned column = factor;
  for (unsigned input = 0; input < 8; ++input) {
    for (unsigned output = 0; output < 8; ++output) {
      matrix |= static_cast<std::uint64_t>((column >> output) & 1U) << (8 * (7 - output) + input);
    }
    column = (column << 1) ^ ((column & 0x80) != 0 ? 0x169U : 0U);
  }
  return matrix;
}

// S-boxes as permutations of registers: two look-ups in 128 bytes, joined by the index's top bit.
struct PermuteBoxes {
  using V = __m512i;

  struct Key {
    alignas(64) std::uint8_t s_box[4][256];
    std::uint32_t subkey[40];
  };

  [[gnu::always_inline]] static V substitute(const Key& key, int j, V x) {
    const std::uint8_t* box = key.s_box[j];
    const V low = _mm512_permutex2var_epi8(_mm512_load_si512(box), x, _mm512_load_si512(box + 64));
    const V high =
        _mm512_permutex2var_epi8(_mm512_load_si512(box + 128), x, _mm512_load_si512(box + 192));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
  }

  [[gnu::always_inline]] static void multiply(V s, V& p5b, V& pef) {
    constexpr std::uint64_t matrix5b = product_matrix(0x5B);
    constexpr std::uint64_t matrixef = product_matrix(0xEF);
    p5b = _mm512_gf2p8affine_epi64_epi8(s, _mm512_set1_epi64(static_cast<long long>(matrix5b)), 0);
    pef = _mm512_gf2p8affine_epi64_epi8(s, _mm512_set1_epi64(static_cast<long long>(matrixef)), 0);
  }

  static void lay_out(const TwofishKey& expanded, Key& key) {
    __builtin_memcpy(key.s_box, expanded.s_box, sizeof key.s_box);
  }
};

}  // namespace

extern const XtsKernel kernel_twofish_avx512 = twofish::Xts<Avx512, PermuteBoxes>::row(
    "avx512",
    cpu_avx | cpu_avx2 | cpu_avx512f | cpu_avx512bw | cpu_avx512vbmi | cpu_gfni | cpu_vpclmul);

}  // namespace volt
