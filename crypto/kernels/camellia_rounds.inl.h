// Camellia-256 (RFC 3713) on byte-sliced sets of blocks: register i holds byte i of every block.
#pragma once

#include <cstdint>

#include "crypto/cipher_id.h"
#include "crypto/isa/words.inl.h"
#include "crypto/kernels/camellia_schedule.h"

namespace volt::camellia {

// `Isa` has load_set and store_set (see sliced_sets.inl.h); `Boxes` has substitute<1> to
// substitute<4>, the S-boxes.
template <class Isa, class Boxes>
struct Cipher {
  using V = typename Isa::V;
  static constexpr CipherId id = CipherId::camellia;
  static constexpr int most_sets = 1;
  static constexpr bool cheaper_halves = false;

  // One direction: every byte of a subkey four times, for a broadcasting load.
  struct Direction {
    std::uint32_t whiten_in[16];
    std::uint32_t round[24][8];
    std::uint32_t mix[6][8];
    std::uint32_t whiten_out[16];
  };
  struct Key {
    Direction encrypt;
    Direction decrypt;
  };

  static void spread(const std::uint64_t* words, int count, std::uint32_t* out) {
    for (int i = 0; i < 8 * count; ++i) {
      out[i] = static_cast<std::uint32_t>(words[i / 8] >> (56 - 8 * (i % 8)) & 0xFF) * 0x01010101U;
    }
  }

  static void spread(const CamelliaSubkeys& subkeys, Direction& direction) {
    spread(subkeys.whiten_in, 2, direction.whiten_in);
    spread(subkeys.round, 24, direction.round[0]);
    spread(subkeys.mix, 6, direction.mix[0]);
    spread(subkeys.whiten_out, 2, direction.whiten_out);
  }

  static void expand_key(const std::uint8_t* bytes, Key& key) {
    CamelliaSubkeys subkeys[2];
    camellia_subkeys(bytes, subkeys[0], subkeys[1]);
    spread(subkeys[0], key.encrypt);
    spread(subkeys[1], key.decrypt);
    __builtin_memset(subkeys, 0, sizeof subkeys);
    __asm__ volatile("" : : "r"(subkeys) : "memory");
  }

  static VOLT_INLINE V add(V a, V b) { return Isa::bit_xor(a, b); }

  // Section 2.4.1: `to` ^= F(from, key). The 16 sums give P with as few additions as there can be.
  static VOLT_INLINE void round(const V* from, V* to, const std::uint32_t* key) {
    V z[8];
    for (int i = 0; i < 8; ++i) z[i] = add(from[i], Isa::set32(key[i]));
    z[0] = Boxes::template substitute<1>(z[0]);
    z[1] = Boxes::template substitute<2>(z[1]);
    z[2] = Boxes::template substitute<3>(z[2]);
    z[3] = Boxes::template substitute<4>(z[3]);
    z[4] = Boxes::template substitute<2>(z[4]);
    z[5] = Boxes::template substitute<3>(z[5]);
    z[6] = Boxes::template substitute<4>(z[6]);
    z[7] = Boxes::template substitute<1>(z[7]);
    for (int i = 0; i < 4; ++i) z[i] = add(z[i], z[4 + (i + 1) % 4]);
    for (int i = 0; i < 4; ++i) z[4 + i] = add(z[4 + i], z[(i + 2) % 4]);
    for (int i = 0; i < 4; ++i) z[i] = add(z[i], z[4 + (i + 3) % 4]);
    for (int i = 0; i < 4; ++i) z[4 + i] = add(z[4 + i], z[(i + 3) % 4]);
    for (int i = 0; i < 4; ++i) {
      to[i] = add(to[i], z[4 + i]);
      to[4 + i] = add(to[4 + i], z[i]);
    }
  }

  // to ^= (from & key) <<< 1, on 32-bit words of four bytes.
  static VOLT_INLINE void add_rotated(V* to, const V* from, const std::uint32_t* key) {
    V masked[4], top[4];
    for (int i = 0; i < 4; ++i) {
      masked[i] = Isa::bit_and(from[i], Isa::set32(key[i]));
      top[i] = Isa::bit_and(Isa::template shift_right16<7>(masked[i]), Isa::set8(1));
    }
    for (int i = 0; i < 4; ++i) {
      const V doubled = Isa::add8(masked[i], masked[i]);
      to[i] = add(to[i], Isa::bit_or(doubled, top[(i + 1) % 4]));
    }
  }

  static VOLT_INLINE void add_either(V* to, const V* from, const std::uint32_t* key) {
    for (int i = 0; i < 4; ++i) to[i] = add(to[i], Isa::bit_or(from[i], Isa::set32(key[i])));
  }

  // FL on the left half and its inverse on the right (sections 2.4.2 and 2.4.3).
  static VOLT_INLINE void mix_halves(V* s, const std::uint32_t (*keys)[8]) {
    add_rotated(s + 4, s, keys[0]);
    add_either(s, s + 4, keys[0] + 4);
    add_either(s + 8, s + 12, keys[1] + 4);
    add_rotated(s + 12, s + 8, keys[1]);
  }

  template <bool encrypting, int sets, int quarters>
  [[gnu::noinline]] static void crypt_sets(const Key& key, const std::uint8_t* masks,
                                           const std::uint8_t* in, std::uint8_t* out) {
    run<quarters>(encrypting ? key.encrypt : key.decrypt, masks, in, out);
  }

  template <int quarters>
  static VOLT_INLINE void run(const Direction& key, const std::uint8_t* masks,
                              const std::uint8_t* in, std::uint8_t* out) {
    V s[16];
    Isa::template load_set<quarters>(s, in, masks);
    for (int i = 0; i < 16; ++i) s[i] = add(s[i], Isa::set32(key.whiten_in[i]));
    for (int r = 0; r < 24; r += 2) {
      if (r != 0 && r % 6 == 0) mix_halves(s, key.mix + r / 3 - 2);
      round(s, s + 8, key.round[r]);
      round(s + 8, s, key.round[r + 1]);
    }
    V swapped[16];
    for (int i = 0; i < 16; ++i) {
      swapped[i] = add(s[(i + 8) % 16], Isa::set32(key.whiten_out[i]));
    }
    Isa::template store_set<quarters>(swapped, out, masks);
  }
};

}  // namespace volt::camellia
