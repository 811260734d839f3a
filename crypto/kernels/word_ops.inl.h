// The operations that the hashes' rounds are written in, for one word or for a vector of words.
// A file compiled for an instruction set includes the rounds after its own operations; all is in
// unnamed namespaces, so that no such code is shared between files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "crypto/isa/words.inl.h"

namespace volt {
namespace {

// `VectorType` is an unsigned integer or a vector of them; arithmetic is lane by lane.
template <class WordType, class VectorType>
struct WordOps {
  using Word = WordType;
  using V = VectorType;
  static constexpr std::size_t lanes = sizeof(V) / sizeof(Word);
  static constexpr int bits = static_cast<int>(sizeof(Word) * 8);

  static VOLT_INLINE V broadcast(Word word) { return V{} + word; }
  template <int n>
  static VOLT_INLINE V rotate_right(V x) {
    return (x >> n) | (x << (bits - n));
  }
  static VOLT_INLINE V xor3(V x, V y, V z) { return x ^ y ^ z; }
  static VOLT_INLINE V choose(V x, V y, V z) { return z ^ (x & (y ^ z)); }
  static VOLT_INLINE V majority(V x, V y, V z) { return (x & y) | (z & (x | y)); }
  static VOLT_INLINE V or_not_xor(V x, V y, V z) { return (x | ~y) ^ z; }
};

template <class Word, bool big_endian>
VOLT_INLINE Word load_word(const std::uint8_t* bytes) {
  Word value = 0;
  for (std::size_t i = 0; i < sizeof(Word); ++i) {
    const std::size_t shift = 8 * (big_endian ? sizeof(Word) - 1 - i : i);
    value |= static_cast<Word>(Word{bytes[i]} << shift);
  }
  return value;
}

template <class Word, bool big_endian>
VOLT_INLINE void store_word(std::uint8_t* bytes, Word value) {
  for (std::size_t i = 0; i < sizeof(Word); ++i) {
    bytes[i] = static_cast<std::uint8_t>(value >> (8 * (big_endian ? sizeof(Word) - 1 - i : i)));
  }
}

// Digests of all lanes, `words` long each and lane after lane, to and from one vector a word.
template <class Ops, bool big_endian, std::size_t words>
void load_lanes(const std::uint8_t* bytes, typename Ops::V* vectors) {
  typename Ops::Word column[Ops::lanes];
  for (std::size_t w = 0; w < words; ++w) {
    for (std::size_t lane = 0; lane < Ops::lanes; ++lane) {
      column[lane] = load_word<typename Ops::Word, big_endian>(
          bytes + (lane * words + w) * sizeof(typename Ops::Word));
    }
    std::memcpy(&vectors[w], column, sizeof column);
  }
}

template <class Ops, bool big_endian, std::size_t words>
void store_lanes(const typename Ops::V* vectors, std::uint8_t* bytes) {
  typename Ops::Word column[Ops::lanes];
  for (std::size_t w = 0; w < words; ++w) {
    std::memcpy(column, &vectors[w], sizeof column);
    for (std::size_t lane = 0; lane < Ops::lanes; ++lane) {
      store_word<typename Ops::Word, big_endian>(
          bytes + (lane * words + w) * sizeof(typename Ops::Word), column[lane]);
    }
  }
}

using Scalar32 = WordOps<std::uint32_t, std::uint32_t>;
using Scalar64 = WordOps<std::uint64_t, std::uint64_t>;

}  // namespace
}  // namespace volt
