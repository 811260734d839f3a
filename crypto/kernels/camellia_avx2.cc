// Camellia-XTS on AVX2 with AES-NI: byte-sliced over the 32 blocks of a data unit. The inversion of
// an S-box is that of AES, between affine maps by 16-entry shuffles.
#include "crypto/isa/aesni.inl.h"
#include "crypto/isa/avx2.inl.h"
#include "crypto/kernels/camellia_box.inl.h"
#include "crypto/kernels/camellia_rounds.inl.h"
#include "crypto/kernels/sliced_sets.inl.h"
#include "crypto/kernels/sliced_xts.inl.h"

namespace volt {
namespace {

using Isa = byteslice::Sliced<Avx2>;

// An affine map as the sum of what the nibbles give.
struct NibbleMap {
  alignas(16) std::uint8_t low[16] = {};
  alignas(16) std::uint8_t high[16] = {};
};

constexpr NibbleMap input_nibbles(int box) {
  NibbleMap map;
  const camellia::Affine in = camellia::input_map(box);
  for (unsigned i = 0; i < 16; ++i) {
    map.low[i] = in(i);
    map.high[i] = in(16 * i) ^ in.constant;
  }
  return map;
}

// The inversion within AES's S-box: its affine map undone (FIPS 197, 5.3.2).
constexpr std::uint8_t undone(unsigned x) {
  return camellia::rotated(x, 1) ^ camellia::rotated(x, 3) ^ camellia::rotated(x, 6) ^ 0x05;
}

constexpr NibbleMap output_nibbles(int box) {
  NibbleMap map;
  const camellia::Affine out = camellia::output_map(box);
  for (unsigned i = 0; i < 16; ++i) {
    map.low[i] = out(undone(i));
    map.high[i] = out(undone(16 * i)) ^ out(undone(0));
  }
  return map;
}

template <int box>
constexpr NibbleMap input_map = input_nibbles(box);
template <int box>
constexpr NibbleMap output_map = output_nibbles(box);

struct AesBoxes {
  static VOLT_INLINE __m256i apply(const NibbleMap& map, __m256i v) {
    const __m256i nibble = Isa::set8(15);
    const __m256i low = Isa::bit_and(v, nibble);
    const __m256i high = Isa::bit_and(Isa::shift_right16<4>(v), nibble);
    return Isa::bit_xor(Isa::shuffle(Isa::broadcast16(map.low), low),
                        Isa::shuffle(Isa::broadcast16(map.high), high));
  }

  // SubBytes: the last round of AES with ShiftRows undone beforehand.
  static VOLT_INLINE __m256i sub_bytes(__m256i v) {
    alignas(16) static constexpr std::uint8_t unshift[16] = {0, 13, 10, 7,  4,  1, 14, 11,
                                                             8, 5,  2,  15, 12, 9, 6,  3};
    const __m256i turned = Isa::shuffle(v, Isa::broadcast16(unshift));
    const __m128i zero = Aesni::zero();
    const __m128i low = Aesni::aes_last_round(_mm256_castsi256_si128(turned), zero);
    const __m128i high = Aesni::aes_last_round(_mm256_extracti128_si256(turned, 1), zero);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
  }

  template <int box>
  static VOLT_INLINE __m256i substitute(__m256i v) {
    return apply(output_map<box>, sub_bytes(apply(input_map<box>, v)));
  }
};

using Cipher = camellia::Cipher<Isa, AesBoxes>;

}  // namespace

extern const XtsKernel kernel_camellia_avx2;
constinit const XtsKernel kernel_camellia_avx2 =
    byteslice::Xts<Isa, Cipher>::row("avx2", Avx2::features | Aesni::features);

}  // namespace volt
