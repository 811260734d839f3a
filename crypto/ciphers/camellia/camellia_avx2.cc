// Camellia-XTS on AVX2 with AES-NI: byte-sliced over the 32 blocks of a data unit. The inversion of
// an S-box is that of AES, between affine maps by 16-entry shuffles.
#include "crypto/ciphers/camellia/camellia_box.inl.h"
#include "crypto/ciphers/camellia/camellia_rounds.inl.h"
#include "crypto/isa/aesni.inl.h"
#include "crypto/isa/avx2.inl.h"
#include "crypto/modes/sliced_sets.inl.h"
#include "crypto/modes/sliced_xts.inl.h"

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
  static VOLT_INLINE Isa::V apply(const NibbleMap& map, Isa::V v) {
    const Isa::V nibble = Isa::set8(15);
    const Isa::V low = Isa::bit_and(v, nibble);
    const Isa::V high = Isa::bit_and(Isa::shift_right16<4>(v), nibble);
    return Isa::bit_xor(Isa::shuffle(Isa::broadcast16(map.low), low),
                        Isa::shuffle(Isa::broadcast16(map.high), high));
  }

  // SubBytes: the last round of AES with ShiftRows undone beforehand.
  static VOLT_INLINE Isa::V sub_bytes(Isa::V v) {
    alignas(16) static constexpr std::uint8_t unshift[16] = {0, 13, 10, 7,  4,  1, 14, 11,
                                                             8, 5,  2,  15, 12, 9, 6,  3};
    const Isa::V turned = Isa::shuffle(v, Isa::broadcast16(unshift));
    const auto zero = Aesni::zero();
    return Isa::join_halves(Aesni::aes_last_round(Isa::low_half(turned), zero, zero),
                            Aesni::aes_last_round(Isa::high_half(turned), zero, zero));
  }

  template <int box>
  static VOLT_INLINE Isa::V substitute(Isa::V v) {
    return apply(output_map<box>, sub_bytes(apply(input_map<box>, v)));
  }
};

using Cipher = camellia::Cipher<Isa, AesBoxes>;

}  // namespace

extern const XtsKernel kernel_camellia_avx2;
constinit const XtsKernel kernel_camellia_avx2 =
    byteslice::Xts<Isa, Cipher>::row("avx2", Avx2::features | Aesni::features);

}  // namespace volt
