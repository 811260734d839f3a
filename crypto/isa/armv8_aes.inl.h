// NEON with the AES instructions of ARMv8. The names are those of aesni.inl.h.
#pragma once

#include "crypto/isa/neon.inl.h"

namespace volt {
namespace {

struct Armv8Aes : Neon {
  static constexpr std::uint32_t features = Neon::features | cpu_armv8_aes;

  // AESE and AESD add a key before anything else, so a round adds the one before it.
  static VOLT_INLINE V aes_start(V x, V /*key*/) { return x; }
  static VOLT_INLINE V aes_start(V x, V mask, V /*key*/) { return bit_xor(x, mask); }
  static VOLT_INLINE V aes_round(V x, V before, V /*key*/) {
    return vaesmcq_u8(vaeseq_u8(x, before));
  }
  static VOLT_INLINE V aes_last_round(V x, V before, V key) {
    return bit_xor(vaeseq_u8(x, before), key);
  }
  static VOLT_INLINE V aes_inverse_round(V x, V before, V /*key*/) {
    return vaesimcq_u8(vaesdq_u8(x, before));
  }
  static VOLT_INLINE V aes_last_inverse_round(V x, V before, V key) {
    return bit_xor(vaesdq_u8(x, before), key);
  }

  // With the same word in every column, shifting rows changes nothing and SubWord is left.
  template <bool rotating, int constant>
  static VOLT_INLINE V aes_key_word(V x) {
    const V word = vaeseq_u8(permute32<3, 3, 3, 3>(x), zero());
    return rotating ? bit_xor(rotate_left32<24>(word), set32(constant)) : word;
  }
  static VOLT_INLINE V aes_inverse_key(V key) { return vaesimcq_u8(key); }
  static VOLT_INLINE V prefix_xor32(V words) {
    words = bit_xor(words, vextq_u8(zero(), words, 12));
    return bit_xor(words, vextq_u8(zero(), words, 8));
  }

  static VOLT_INLINE void hold(V (&x)[8]) {
    __asm__ volatile(""
                     : "+w"(x[0]), "+w"(x[1]), "+w"(x[2]), "+w"(x[3]), "+w"(x[4]), "+w"(x[5]),
                       "+w"(x[6]), "+w"(x[7]));
  }
};

}  // namespace
}  // namespace volt
