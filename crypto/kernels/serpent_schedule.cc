#include "crypto/kernels/serpent_schedule.h"
#include "crypto/isa/words.inl.h"

#include <cstring>

#include "crypto/bytes.h"
#include "crypto/kernels/serpent_rounds.inl.h"

namespace volt {
namespace {

// One word of one block: the rounds' vector type at its smallest.
struct Word {
  static constexpr bool ternary = false;
  static constexpr int key_copies = 1;
  std::uint32_t v;

  static constexpr Word load_key(const std::uint32_t* key) { return {*key}; }
  friend constexpr Word operator^(Word a, Word b) { return {a.v ^ b.v}; }
  friend constexpr Word operator&(Word a, Word b) { return {a.v & b.v}; }
  friend constexpr Word operator|(Word a, Word b) { return {a.v | b.v}; }
  friend constexpr Word and_not(Word a, Word b) { return {a.v & ~b.v}; }
  friend constexpr Word xor3(Word a, Word b, Word c) { return {a.v ^ b.v ^ c.v}; }
};

template <int n>
constexpr Word shift_left(Word w) {
  return {w.v << n};
}

template <int n>
constexpr Word rotate_left(Word w) {
  return {(w.v << n) | (w.v >> (32 - n))};
}

using WordState = serpent::State<Word>;

// S(0) or its inverse's, a bit of it in every bit of a word.
constexpr WordState constant_of(unsigned nibble) {
  const auto spread = [nibble](int bit) { return Word{0U - ((nibble >> bit) & 1U)}; };
  return {spread(0), spread(1), spread(2), spread(3)};
}
constexpr unsigned box_of_zero[8] = {3, 15, 8, 0, 1, 15, 7, 1};
constexpr unsigned inverse_of_zero[8] = {13, 5, 12, 0, 5, 8, 15, 3};

void add(std::uint32_t* key, const WordState& s) {
  key[0] ^= s.x0.v;
  key[1] ^= s.x1.v;
  key[2] ^= s.x2.v;
  key[3] ^= s.x3.v;
}

// Turns the prekeys of one round into its key.
template <int box>
void substitute_keys(std::uint32_t* key) {
  WordState s{{key[0]}, {key[1]}, {key[2]}, {key[3]}};
  serpent::substitute<box>(s);
  key[0] = s.x0.v;
  key[1] = s.x1.v;
  key[2] = s.x2.v;
  key[3] = s.x3.v;
  add(key, constant_of(box_of_zero[box]));
}

// Boxes by gates leave the state off by S(0). Encrypting, that runs through the linear
// transformation (which the last round does not have) into the next round key; decrypting, the
// round key follows the inverse box directly.
void fold_encryption(std::uint32_t* keys) {
  constexpr std::uint32_t no_key[4] = {};
  for (int round = 0; round < 32; ++round) {
    WordState s = constant_of(box_of_zero[round % 8]);
    if (round < 31) serpent::mix(s, no_key);
    add(keys + 4 * (round + 1), s);
  }
}

void fold_decryption(std::uint32_t* keys) {
  for (int round = 0; round < 32; ++round) {
    add(keys + 4 * round, constant_of(inverse_of_zero[round % 8]));
  }
}

// Puts the inner round keys into the form that serpent::mix adds: words 0 and 2 rotated back.
void prepare_encryption(std::uint32_t* keys) {
  for (std::uint32_t* k = keys + 4; k < keys + 128; k += 4) {
    k[0] = rotate_left<27>(Word{k[0]}).v;
    k[2] = rotate_left<10>(Word{k[2]}).v;
  }
}

// The same for serpent::unmix: the inverse transformation is linear, and this is what it makes of
// the key alone by the places where it is added.
void prepare_decryption(std::uint32_t* keys) {
  for (std::uint32_t* k = keys + 4; k < keys + 128; k += 4) {
    const Word k0{k[0]}, k1{k[1]}, k2{k[2]}, k3{k[3]};
    k[0] = xor3(rotate_left<27>(k0), k1, k3).v;
    k[1] = rotate_left<31>(k1).v;
    k[2] = xor3(rotate_left<10>(k2), k3, shift_left<7>(k1)).v;
    k[3] = rotate_left<25>(k3).v;
  }
}

template <int copies>
void repeat(const std::uint32_t* words, std::uint32_t* out) {
  for (std::size_t i = 0; i < serpent_round_words; ++i) {
    for (int copy = 0; copy < copies; ++copy) *out++ = words[i];
  }
}

template <int copies, bool folded>
void expand(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule) {
  auto& keys = *static_cast<SerpentSchedule<copies>*>(schedule);
  SerpentSchedule<1> plain;
  serpent_round_keys(data_key, plain.encrypt);
  std::memcpy(plain.decrypt, plain.encrypt, sizeof plain.decrypt);
  serpent_round_keys(tweak_key, plain.tweak);
  if (folded) {
    fold_encryption(plain.encrypt);
    fold_decryption(plain.decrypt);
    fold_encryption(plain.tweak);
  }
  prepare_encryption(plain.encrypt);
  prepare_decryption(plain.decrypt);
  prepare_encryption(plain.tweak);
  repeat<copies>(plain.encrypt, keys.encrypt);
  repeat<copies>(plain.decrypt, keys.decrypt);
  repeat<copies>(plain.tweak, keys.tweak);
  wipe(&plain, sizeof plain);
}

}  // namespace

void serpent_round_keys(const std::uint8_t* key, std::uint32_t* round_keys) noexcept {
  constexpr std::uint32_t golden_ratio = 0x9E3779B9U;
  // Prekeys -8 to -1 are the key itself.
  std::uint32_t words[8 + serpent_round_words];
  for (int i = 0; i < 8; ++i) words[i] = load_le<std::uint32_t>(key + 4 * i);
  for (std::uint32_t i = 0; i < serpent_round_words; ++i) {
    const std::uint32_t* w = words + i;
    words[8 + i] = rotate_left<11>(Word{w[0] ^ w[3] ^ w[5] ^ w[7] ^ golden_ratio ^ i}).v;
  }
  for (std::uint32_t* group = words + 8; group < words + 8 + 128; group += 32) {
    substitute_keys<3>(group);
    substitute_keys<2>(group + 4);
    substitute_keys<1>(group + 8);
    substitute_keys<0>(group + 12);
    substitute_keys<7>(group + 16);
    substitute_keys<6>(group + 20);
    substitute_keys<5>(group + 24);
    substitute_keys<4>(group + 28);
  }
  substitute_keys<3>(words + 8 + 128);
  std::memcpy(round_keys, words + 8, serpent_round_words * sizeof(std::uint32_t));
  wipe(words, sizeof words);
}

void serpent_expand_plain(const std::uint8_t* data_key, const std::uint8_t* tweak_key,
                          void* schedule) {
  expand<1, false>(data_key, tweak_key, schedule);
}

void serpent_expand_folded(const std::uint8_t* data_key, const std::uint8_t* tweak_key,
                           void* schedule) {
  expand<1, true>(data_key, tweak_key, schedule);
}

void serpent_expand_folded4(const std::uint8_t* data_key, const std::uint8_t* tweak_key,
                            void* schedule) {
  expand<4, true>(data_key, tweak_key, schedule);
}

}  // namespace volt
