// The table of hashes: each one's start, block and padding.
#include <algorithm>
#include <array>
#include <cstring>

#include "crypto/base/secure_buffer.h"
#include "crypto/kdf/hashes/blake2s_rounds.inl.h"
#include "crypto/kdf/hashes/hash.h"
#include "crypto/kdf/hashes/ripemd160_rounds.inl.h"
#include "crypto/kdf/hashes/sha1_rounds.inl.h"
#include "crypto/kdf/hashes/sha2_rounds.inl.h"
#include "crypto/kdf/hashes/streebog_rounds.inl.h"
#include "crypto/kdf/hashes/whirlpool_rounds.inl.h"

namespace volt {
namespace {

// Words of a block, wiped when done with.
template <class Word, bool big_endian, std::size_t count>
struct BlockWords {
  Word w[count];

  explicit BlockWords(const std::uint8_t* block) {
    for (std::size_t i = 0; i < count; ++i) {
      w[i] = load_word<Word, big_endian>(block + i * sizeof(Word));
    }
  }
  ~BlockWords() { secure_wipe(w, sizeof w); }
};

// Merkle-Damgard strengthening: a bit, zeros, the message's length in bits in the last
// `length_bytes` of a block.
template <class H>
struct MdHash {
  static constexpr std::size_t block_bytes = H::block_bytes;

  static void start(HashState& state) {
    state.words.fill(0);
    H::start(state);
  }
  static void absorb(HashState& state, const std::uint8_t* block, std::uint64_t) {
    H::compress_bytes(state, block);
  }
  static void finish(HashState& state, const std::uint8_t* tail, std::size_t tail_bytes,
                     std::uint64_t total_bytes, std::uint8_t* digest) {
    std::array<std::uint8_t, block_bytes + 1> block{};
    std::copy_n(tail, tail_bytes, block.begin());
    if (tail_bytes == block_bytes) {
      H::compress_bytes(state, block.data());
      block.fill(0);
      tail_bytes = 0;
    }
    block[tail_bytes] = 0x80;
    if (tail_bytes + 1 + H::length_bytes > block_bytes) {
      H::compress_bytes(state, block.data());
      block.fill(0);
    }
    if constexpr (H::big_endian) {
      store_be<std::uint64_t>(&block[block_bytes - 8], total_bytes * 8);
    } else {
      store_le<std::uint64_t>(&block[block_bytes - 8], total_bytes * 8);
    }
    H::compress_bytes(state, block.data());
    H::store(state, digest);
    secure_wipe(block.data(), block.size());
  }
};

// The hashes whose rounds are in SIMD form, on plain words.
template <class H, class Ops, std::size_t length>
struct Rounds {
  using Word = typename H::Word;
  static constexpr std::size_t block_bytes = 16 * sizeof(Word);
  static constexpr std::size_t length_bytes = length;
  static constexpr bool big_endian = H::big_endian;

  static void start(HashState& state) { std::memcpy(state.words.data(), H::iv, sizeof H::iv); }
  static void compress_bytes(HashState& state, const std::uint8_t* block) {
    BlockWords<Word, big_endian, 16> words(block);
    Word chain[H::words];
    std::memcpy(chain, state.words.data(), sizeof chain);
    H::template compress<Ops>(chain, words.w);
    std::memcpy(state.words.data(), chain, sizeof chain);
  }
  static void store(const HashState& state, std::uint8_t* digest) {
    Word chain[H::words];
    std::memcpy(chain, state.words.data(), sizeof chain);
    for (std::size_t i = 0; i < H::words; ++i) {
      store_word<Word, big_endian>(digest + i * sizeof(Word), chain[i]);
    }
  }
};

struct Whirlpool {
  static constexpr std::size_t block_bytes = 64;
  static constexpr std::size_t length_bytes = 32;
  static constexpr bool big_endian = true;

  static void start(HashState&) {}
  static void compress_bytes(HashState& state, const std::uint8_t* block) {
    const BlockWords<std::uint64_t, true, 8> words(block);
    whirlpool_compress(state.words.data(), words.w);
  }
  static void store(const HashState& state, std::uint8_t* digest) {
    for (std::size_t i = 0; i < 8; ++i) store_be<std::uint64_t>(digest + i * 8, state.words[i]);
  }
};

struct Blake2sHash {
  static void start(HashState& state) {
    state.words.fill(0);
    std::uint32_t chain[Blake2s::words];
    std::copy_n(Blake2s::iv, Blake2s::words, chain);
    chain[0] ^= Blake2s::parameters;
    std::memcpy(state.words.data(), chain, sizeof chain);
  }
  static void compress(HashState& state, const std::uint8_t* block, std::uint64_t total_bytes,
                       bool last) {
    const BlockWords<std::uint32_t, false, 16> words(block);
    std::uint32_t chain[Blake2s::words];
    std::memcpy(chain, state.words.data(), sizeof chain);
    Blake2s::compress<Scalar32>(chain, words.w, total_bytes, last);
    std::memcpy(state.words.data(), chain, sizeof chain);
  }
  static void absorb(HashState& state, const std::uint8_t* block, std::uint64_t total_bytes) {
    compress(state, block, total_bytes, false);
  }
  static void finish(HashState& state, const std::uint8_t* tail, std::size_t tail_bytes,
                     std::uint64_t total_bytes, std::uint8_t* digest) {
    std::array<std::uint8_t, 64> block{};
    std::copy_n(tail, tail_bytes, block.begin());
    compress(state, block.data(), total_bytes, true);
    std::uint32_t chain[Blake2s::words];
    std::memcpy(chain, state.words.data(), sizeof chain);
    for (std::size_t i = 0; i < Blake2s::words; ++i) store_le(digest + i * 4, chain[i]);
    secure_wipe(block.data(), block.size());
  }
};

struct Streebog512 {
  static void start(HashState& state) { state.words.fill(0); }
  // RFC 6986, 10.2 (stage 2): h, then N += bits, then Sigma += m.
  static void block_of(HashState& state, const std::uint8_t* block, std::uint64_t bits) {
    const BlockWords<std::uint64_t, false, 8> m(block);
    std::uint64_t* h = state.words.data();
    const std::uint64_t count[8] = {bits};
    streebog_g(h, h + 8, m.w);
    streebog_add(h + 8, count);
    streebog_add(h + 16, m.w);
  }
  static void absorb(HashState& state, const std::uint8_t* block, std::uint64_t) {
    block_of(state, block, 512);
  }
  static void finish(HashState& state, const std::uint8_t* tail, std::size_t tail_bytes,
                     std::uint64_t, std::uint8_t* digest) {
    std::array<std::uint8_t, 65> block{};
    std::copy_n(tail, tail_bytes, block.begin());
    if (tail_bytes == 64) {
      block_of(state, block.data(), 512);
      block.fill(0);
      tail_bytes = 0;
    }
    block[tail_bytes] = 1;
    block_of(state, block.data(), tail_bytes * 8);
    const std::uint64_t zero[8] = {};
    std::uint64_t* h = state.words.data();
    streebog_g(h, zero, h + 8);
    streebog_g(h, zero, h + 16);
    for (std::size_t i = 0; i < 8; ++i) store_le<std::uint64_t>(digest + i * 8, h[i]);
    secure_wipe(block.data(), block.size());
  }
};

template <class H>
constexpr HashRow row_of(PrfId prf, std::size_t block_bytes, std::size_t digest_bytes) {
  return {prf, block_bytes, digest_bytes, H::start, H::absorb, H::finish};
}

constexpr HashRow rows[] = {
    row_of<MdHash<Rounds<Sha512, Scalar64, 16>>>(PrfId::sha512, 128, 64),
    row_of<MdHash<Rounds<Sha256, Scalar32, 8>>>(PrfId::sha256, 64, 32),
    row_of<Blake2sHash>(PrfId::blake2s, 64, 32),
    row_of<MdHash<Whirlpool>>(PrfId::whirlpool, 64, 64),
    row_of<Streebog512>(PrfId::streebog, 64, 64),
    row_of<MdHash<Rounds<Ripemd160, Scalar32, 8>>>(PrfId::ripemd160, 64, 20),
    row_of<MdHash<Rounds<Sha1, Scalar32, 8>>>(PrfId::sha1, 64, 20),
};

}  // namespace

const HashRow* find_hash(PrfId prf) noexcept {
  for (const HashRow& row : rows) {
    if (row.prf == prf) return &row;
  }
  return nullptr;
}

}  // namespace volt
