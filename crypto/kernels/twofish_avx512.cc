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

  // S-box `j` of every byte of `x` and of `y`.
  [[gnu::always_inline]] static void substitute(const Key& key, int j, V& x, V& y) {
    const V box0 = _mm512_load_si512(key.s_box[j]);
    const V box1 = _mm512_load_si512(key.s_box[j] + 64);
    const V box2 = _mm512_load_si512(key.s_box[j] + 128);
    const V box3 = _mm512_load_si512(key.s_box[j] + 192);
    x = _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), _mm512_permutex2var_epi8(box0, x, box1),
                               _mm512_permutex2var_epi8(box2, x, box3));
    y = _mm512_mask_blend_epi8(_mm512_movepi8_mask(y), _mm512_permutex2var_epi8(box0, y, box1),
                               _mm512_permutex2var_epi8(box2, y, box3));
  }

  // MDS * s (section 4.2).
  [[gnu::always_inline]] static void mix(const V (&s)[4], V (&z)[4]) {
    const V matrix5b = _mm512_set1_epi64(static_cast<long long>(product_matrix(0x5B)));
    const V matrixef = _mm512_set1_epi64(static_cast<long long>(product_matrix(0xEF)));
    V x[4], y[4];  // products by 5B and by EF
    for (int j = 0; j < 4; ++j) {
      x[j] = _mm512_gf2p8affine_epi64_epi8(s[j], matrix5b, 0);
      y[j] = _mm512_gf2p8affine_epi64_epi8(s[j], matrixef, 0);
    }
    z[0] = Avx512::sum(s[0], y[1], x[2], x[3]);
    z[1] = Avx512::sum(x[0], y[1], y[2], s[3]);
    z[2] = Avx512::sum(y[0], x[1], s[2], y[3]);
    z[3] = Avx512::sum(y[0], s[1], y[2], x[3]);
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
