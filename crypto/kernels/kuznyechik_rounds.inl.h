// Kuznyechik (RFC 7801) on byte-sliced sets of blocks: register i holds byte i of every block.
#pragma once

#include <cstdint>
#include <utility>

#include "crypto/cipher_id.h"
#include "crypto/isa/words.inl.h"
#include "crypto/kernels/kuznyechik_schedule.h"

namespace volt::kuznyechik {

// `Isa` has load_set and store_set (see sliced_sets.inl.h); `Field` has a Byte (a register in the
// form that products want it), byte_of(v), whole(byte), substitute<encrypting>(v) and combine(at),
// section 4.1.2's linear function of the sixteen Bytes at(0) to at(15).
template <class Isa, class Field>
struct Cipher {
  using V = typename Isa::V;
  using Byte = typename Field::Byte;
  static constexpr CipherId id = CipherId::kuznyechik;
  static constexpr int most_sets = 1;
  static constexpr bool cheaper_halves = false;

  // Every byte of a round key four times, for a broadcasting load.
  struct Key {
    std::uint32_t words[kuznyechik_rounds][16];
  };

  static void expand_key(const std::uint8_t* bytes, Key& key) {
    std::uint8_t round_keys[kuznyechik_rounds * 16];
    kuznyechik_round_keys(bytes, round_keys);
    for (int i = 0; i < kuznyechik_rounds * 16; ++i) {
      key.words[i / 16][i % 16] = round_keys[i] * 0x01010101U;
    }
    wipe(round_keys, sizeof round_keys);
  }

  static VOLT_INLINE void add_key(V (&s)[16], const std::uint32_t* key) {
    for (int i = 0; i < 16; ++i) s[i] = Isa::bit_xor(s[i], Isa::set32(key[i]));
  }

  // R sixteen times (L of section 4.2), or its inverse. A step drops the byte at one end and puts
  // the new one at the other; the registers stay where they are and the numbering turns instead.
  static constexpr int register_of(int step, bool forward, int i) {
    return (i + (forward ? 16 - step : step + 1)) % 16;
  }

  template <int step, bool forward>
  static VOLT_INLINE void shift_step(Byte (&s)[16]) {
    constexpr int fresh = forward ? 15 - step : step;
    s[fresh] = Field::byte_of(Field::combine(
        [&s](auto i) -> const Byte& { return s[register_of(step, forward, decltype(i)::value)]; }));
  }

  template <bool forward, int... step>
  static VOLT_INLINE void mix(V (&s)[16], std::integer_sequence<int, step...>) {
    Byte bytes[16];
    for (int i = 0; i < 16; ++i) bytes[i] = Field::byte_of(s[i]);
    (shift_step<step, forward>(bytes), ...);
    for (int i = 0; i < 16; ++i) s[i] = Field::whole(bytes[i]);
  }

  template <bool encrypting>
  static VOLT_INLINE void substitute(V (&s)[16]) {
    for (int i = 0; i < 16; ++i) s[i] = Field::template substitute<encrypting>(s[i]);
  }

  // Sections 4.5.1 and 4.5.2, between two XORs of masks.
  template <bool encrypting, int sets, int quarters>
  [[gnu::noinline]] static void crypt_sets(const Key& key, const std::uint8_t* masks,
                                           const std::uint8_t* in, std::uint8_t* out) {
    using Steps = std::make_integer_sequence<int, 16>;
    V s[16];
    Isa::template load_set<quarters>(s, in, masks);
    if constexpr (encrypting) {
      for (int round = 0; round < kuznyechik_rounds - 1; ++round) {
        add_key(s, key.words[round]);
        substitute<true>(s);
        mix<true>(s, Steps());
      }
      add_key(s, key.words[kuznyechik_rounds - 1]);
    } else {
      for (int round = kuznyechik_rounds - 1; round > 0; --round) {
        add_key(s, key.words[round]);
        mix<false>(s, Steps());
        substitute<false>(s);
      }
      add_key(s, key.words[0]);
    }
    Isa::template store_set<quarters>(s, out, masks);
  }
};

}  // namespace volt::kuznyechik
