// PBKDF2's loop on the hashes whose HMAC of a digest takes one block for each of its two halves.
#pragma once

#include <type_traits>

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/blake2s_rounds.inl.h"
#include "crypto/kernels/word_ops.inl.h"

namespace volt {

namespace {

// Everything secret of one run, so that it can be wiped in one go.
template <class H, class Ops>
struct HmacLoop {
  using V = typename Ops::V;
  using Word = typename H::Word;
  static constexpr std::size_t words = H::words;
  Word keyed_words[2][words];
  V keyed[2][words];
  V u[words];
  V t[words];
  V block[16];
  V state[words];

  // state = compression, from the keyed state, of the block that holds the digest `u` and padding.
  VOLT_INLINE void half(int which) {
    constexpr std::size_t message_bytes = (16 + words) * sizeof(Word);
    for (std::size_t i = 0; i < words; ++i) {
      block[i] = u[i];
      state[i] = keyed[which][i];
    }
    for (std::size_t i = words; i < 16; ++i) block[i] = V{};
    if constexpr (std::is_same_v<H, Blake2s>) {
      H::template compress<Ops>(state, block, message_bytes, true);
    } else {  // the padding of Merkle and Damgard: a bit, zeros, the length in bits
      block[words] = Ops::broadcast(H::pad_word);
      block[H::length_word] = Ops::broadcast(message_bytes * 8);
      H::template compress<Ops>(state, block);
    }
    for (std::size_t i = 0; i < words; ++i) u[i] = state[i];
  }

  static void iterate(const void* inner, const void* outer, std::uint8_t* u_bytes,
                      std::uint8_t* t_bytes, std::uint32_t count) {
    HmacLoop loop;
    std::memcpy(loop.keyed_words[0], inner, sizeof loop.keyed_words[0]);
    std::memcpy(loop.keyed_words[1], outer, sizeof loop.keyed_words[1]);
    for (std::size_t i = 0; i < words; ++i) {
      loop.keyed[0][i] = Ops::broadcast(loop.keyed_words[0][i]);
      loop.keyed[1][i] = Ops::broadcast(loop.keyed_words[1][i]);
    }
    load_lanes<Ops, H::big_endian, words>(u_bytes, loop.u);
    load_lanes<Ops, H::big_endian, words>(t_bytes, loop.t);
    for (std::uint32_t i = 0; i < count; ++i) {
      loop.half(0);
      loop.half(1);
      for (std::size_t k = 0; k < words; ++k) loop.t[k] ^= loop.u[k];
    }
    store_lanes<Ops, H::big_endian, words>(loop.u, u_bytes);
    store_lanes<Ops, H::big_endian, words>(loop.t, t_bytes);
    wipe(&loop, sizeof loop);
  }
};

}  // namespace
}  // namespace volt
