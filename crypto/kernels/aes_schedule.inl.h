// AES-256 key expansion by AES instructions, shared by the kernels that have them. Constant time:
// the instructions look no table up. Internal linkage: every kernel file has its own copy.
#pragma once

#include <cstdint>

#include "crypto/isa/words.inl.h"

namespace volt {
namespace {

inline constexpr int aes_rounds = 14;

// One block's round keys, in the order in which the rounds take them.
using AesRoundKeys = std::uint8_t[aes_rounds + 1][16];

// Everything that the unit functions read. The decryption keys are those of the equivalent inverse
// cipher (FIPS 197, 5.3.5).
struct AesXtsSchedule {
  AesRoundKeys encryption;
  AesRoundKeys decryption;
  AesRoundKeys tweak;
};

// FIPS 197, 5.2, for Nk = 8. Works in registers: no copy of the key is left in memory.
template <class Isa>
VOLT_INLINE void expand_encryption_keys(const std::uint8_t* key,
                                        AesRoundKeys& round_keys) noexcept {
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

// XtsKernel::expand of every AES kernel. `Isa` has single blocks in its vectors (isa/aesni.inl.h).
template <class Isa>
void expand_aes_xts(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule) {
  AesXtsSchedule& keys = *static_cast<AesXtsSchedule*>(schedule);
  expand_encryption_keys<Isa>(data_key, keys.encryption);
  expand_encryption_keys<Isa>(tweak_key, keys.tweak);
  Isa::store(keys.decryption[0], Isa::load(keys.encryption[aes_rounds]));
  for (int round = 1; round < aes_rounds; ++round) {
    const auto key = Isa::load(keys.encryption[aes_rounds - round]);
    Isa::store(keys.decryption[round], Isa::aes_inverse_key(key));
  }
  Isa::store(keys.decryption[aes_rounds], Isa::load(keys.encryption[0]));
}

}  // namespace
}  // namespace volt
