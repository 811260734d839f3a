// Serpent's rounds in bit-sliced form, templated on the vector type: word i of every block stands
// in register i, one block a lane. Included by each kernel file, which is compiled for one
// instruction set; the vector types are local to that file, and so are these functions then.
//
// A vector type W has: operators ^ & |, and_not(a, b) = a & ~b, xor3(a, b, c),
// rotate_left<n>(w), shift_left<n>(w), W::load_key(pointer) and the constants W::ternary (S-boxes
// by three-input logic) and W::key_copies (see SerpentSchedule).
#pragma once

#include <cstdint>

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/serpent_sboxes.inl.h"
#include "crypto/kernels/serpent_ternary.inl.h"

namespace volt::serpent {

template <class W>
struct State {
  W x0, x1, x2, x3;
};

template <class W>
VOLT_INLINE void add_round_key(State<W>& s, const std::uint32_t* key) {
  s.x0 = s.x0 ^ W::load_key(key);
  s.x1 = s.x1 ^ W::load_key(key + W::key_copies);
  s.x2 = s.x2 ^ W::load_key(key + 2 * W::key_copies);
  s.x3 = s.x3 ^ W::load_key(key + 3 * W::key_copies);
}

// The linear transformation and the next round key. Words 0 and 2, which come last, get their keys
// before their last rotation, off the chain of dependencies: `key` holds those two rotated back.
template <class W>
VOLT_INLINE void mix(State<W>& s, const std::uint32_t* key) {
  s.x0 = rotate_left<13>(s.x0);
  s.x2 = rotate_left<3>(s.x2);
  s.x1 = rotate_left<1>(xor3(s.x0, s.x2, s.x1));
  s.x3 = rotate_left<7>(xor3(s.x3, s.x2, shift_left<3>(s.x0)));
  s.x0 = rotate_left<5>(xor3(s.x1, s.x3, s.x0 ^ W::load_key(key)));
  s.x2 =
      rotate_left<22>(xor3(s.x3, shift_left<7>(s.x1), s.x2 ^ W::load_key(key + 2 * W::key_copies)));
  s.x1 = s.x1 ^ W::load_key(key + W::key_copies);
  s.x3 = s.x3 ^ W::load_key(key + 3 * W::key_copies);
}

// The round key and the inverse of the linear transformation. The key is added along the way:
// `key` holds what each word's key has become there (see prepare_decryption, serpent_schedule.cc).
template <class W>
VOLT_INLINE void unmix(State<W>& s, const std::uint32_t* key) {
  const W x1 = s.x1, x3 = s.x3;
  s.x2 = xor3(x3 ^ W::load_key(key + 2 * W::key_copies), shift_left<7>(x1), rotate_left<10>(s.x2));
  s.x0 = xor3(x1 ^ W::load_key(key), x3, rotate_left<27>(s.x0));
  s.x3 = rotate_left<25>(x3) ^ W::load_key(key + 3 * W::key_copies);
  s.x1 = rotate_left<31>(x1) ^ W::load_key(key + W::key_copies);
  s.x3 = xor3(s.x3, s.x2, shift_left<3>(s.x0));
  s.x1 = xor3(s.x1, s.x0, s.x2);
  s.x2 = rotate_left<29>(s.x2);
  s.x0 = rotate_left<19>(s.x0);
}

template <int box, class W>
VOLT_INLINE void substitute(State<W>& s) {
  if constexpr (W::ternary) {
    TernaryBoxes::forward<box>(s.x0, s.x1, s.x2, s.x3);
  } else {
    GateBoxes::forward<box>(s.x0, s.x1, s.x2, s.x3);
  }
}

template <int box, class W>
VOLT_INLINE void substitute_back(State<W>& s) {
  if constexpr (W::ternary) {
    TernaryBoxes::inverse<box>(s.x0, s.x1, s.x2, s.x3);
  } else {
    GateBoxes::inverse<box>(s.x0, s.x1, s.x2, s.x3);
  }
}

// Round `box` of eight, with the key of the round after it or of its own.
template <int box, class W>
VOLT_INLINE_ROUND void encrypt_round(State<W>& s, const std::uint32_t* keys) {
  substitute<box>(s);
  mix(s, keys + (box + 1) * 4 * W::key_copies);
}

template <int box, class W>
VOLT_INLINE_ROUND void decrypt_round(State<W>& s, const std::uint32_t* keys) {
  substitute_back<box>(s);
  unmix(s, keys + box * 4 * W::key_copies);
}

// Eight rounds stand written out; four turns of them stay in the decoded-instruction cache.
template <class W>
VOLT_INLINE_ROUND void encrypt_blocks(State<W>& s, const std::uint32_t* keys) {
  constexpr int stride = 32 * W::key_copies;
  const std::uint32_t* const last = keys + 3 * stride;
  add_round_key(s, keys);
  for (;; keys += stride) {
    encrypt_round<0>(s, keys);
    encrypt_round<1>(s, keys);
    encrypt_round<2>(s, keys);
    encrypt_round<3>(s, keys);
    encrypt_round<4>(s, keys);
    encrypt_round<5>(s, keys);
    encrypt_round<6>(s, keys);
    substitute<7>(s);
    if (keys == last) break;
    mix(s, keys + stride);
  }
  add_round_key(s, last + stride);
}

template <class W>
VOLT_INLINE_ROUND void decrypt_blocks(State<W>& s, const std::uint32_t* keys) {
  constexpr int stride = 32 * W::key_copies;
  const std::uint32_t* const first = keys;
  keys += 3 * stride;
  add_round_key(s, keys + stride);
  for (;; keys -= stride) {
    decrypt_round<7>(s, keys);
    decrypt_round<6>(s, keys);
    decrypt_round<5>(s, keys);
    decrypt_round<4>(s, keys);
    decrypt_round<3>(s, keys);
    decrypt_round<2>(s, keys);
    decrypt_round<1>(s, keys);
    substitute_back<0>(s);
    if (keys == first) break;
    unmix(s, keys);
  }
  add_round_key(s, first);
}

}  // namespace volt::serpent
