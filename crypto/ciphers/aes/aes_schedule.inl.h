// AES key expansion by AES instructions, shared by the kernels that have them. Constant time:
// the instructions look no table up. Internal linkage: every kernel file has its own copy.
#pragma once

#include <cstdint>

#include "crypto/isa/words.inl.h"

namespace volt {
namespace {

inline constexpr int aes128_rounds = 10;
inline constexpr int aes256_rounds = 14;

// One block's round keys, in the order in which the rounds take them.
template <int rounds>
using AesRoundKeys = std::uint8_t[rounds + 1][16];

// Everything that the unit functions read. The decryption keys are those of the equivalent inverse
// cipher (FIPS 197, 5.3.5).
template <int rounds>
struct AesXtsSchedule {
  AesRoundKeys<rounds> encryption;
  AesRoundKeys<rounds> decryption;
  AesRoundKeys<rounds> tweak;
};

// FIPS 197, 5.2, for Nk = 8. Works in registers: no copy of the key is left in memory.
template <class Isa>
VOLT_INLINE void expand_encryption_keys(const std::uint8_t* key,
                                        AesRoundKeys<aes256_rounds>& round_keys) noexcept {
  auto even = Isa::load(key);
  auto odd = Isa::load(key + 16);
  Isa::store(round_keys[0], even);
  Isa::store(round_keys[1], odd);
  for_constants<7>([&](auto i) VOLT_INLINE_BODY {
    even = Isa::bit_xor(Isa::prefix_xor32(even),
                        Isa::template aes_key_word<true, 1 << decltype(i)::value>(odd));
    Isa::store(round_keys[2 * i + 2], even);
    if constexpr (decltype(i)::value < 6) {
      odd = Isa::bit_xor(Isa::prefix_xor32(odd), Isa::template aes_key_word<false, 0>(even));
      Isa::store(round_keys[2 * i + 3], odd);
    }
  });
}

// The same for Nk = 4.
template <class Isa>
VOLT_INLINE void expand_encryption_keys(const std::uint8_t* key,
                                        AesRoundKeys<aes128_rounds>& round_keys) noexcept {
  auto words = Isa::load(key);
  Isa::store(round_keys[0], words);
  for_constants<aes128_rounds>([&](auto i) VOLT_INLINE_BODY {
    constexpr int round = decltype(i)::value;
    constexpr int constant = round < 8 ? 1 << round : 0x1B << (round - 8);
    words =
        Isa::bit_xor(Isa::prefix_xor32(words), Isa::template aes_key_word<true, constant>(words));
    Isa::store(round_keys[round + 1], words);
  });
}

// XtsKernel::expand of every AES kernel. `Isa` has single blocks in its vectors (isa/aesni.inl.h).
template <class Isa, int rounds>
void expand_aes_xts(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule) {
  auto& keys = *static_cast<AesXtsSchedule<rounds>*>(schedule);
  expand_encryption_keys<Isa>(data_key, keys.encryption);
  expand_encryption_keys<Isa>(tweak_key, keys.tweak);
  Isa::store(keys.decryption[0], Isa::load(keys.encryption[rounds]));
  for (int round = 1; round < rounds; ++round) {
    const auto key = Isa::load(keys.encryption[rounds - round]);
    Isa::store(keys.decryption[round], Isa::aes_inverse_key(key));
  }
  Isa::store(keys.decryption[rounds], Isa::load(keys.encryption[0]));
}

}  // namespace
}  // namespace volt
