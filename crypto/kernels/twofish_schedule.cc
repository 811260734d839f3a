#include "crypto/kernels/twofish_schedule.h"
#include "crypto/isa/words.inl.h"

#include <array>
#include <bit>
#include <cstddef>

#include "crypto/bytes.h"

namespace volt {
namespace {

// Section and figure numbers below are those of the paper named in the header.

// The 4-bit permutations t0..t3 that make q0 and q1 (4.3.5).
constexpr std::uint8_t q_nibbles[2][4][16] = {
    {
        {0x8, 0x1, 0x7, 0xD, 0x6, 0xF, 0x3, 0x2, 0x0, 0xB, 0x5, 0x9, 0xE, 0xC, 0xA, 0x4},
        {0xE, 0xC, 0xB, 0x8, 0x1, 0x2, 0x3, 0x5, 0xF, 0x4, 0xA, 0x6, 0x7, 0x0, 0x9, 0xD},
        {0xB, 0xA, 0x5, 0xE, 0x6, 0xD, 0x9, 0x0, 0xC, 0x8, 0xF, 0x3, 0x2, 0x4, 0x7, 0x1},
        {0xD, 0x7, 0xF, 0x4, 0x1, 0x2, 0x6, 0xE, 0x9, 0xB, 0x3, 0x0, 0x8, 0x5, 0xC, 0xA},
    },
    {
        {0x2, 0x8, 0xB, 0xD, 0xF, 0x7, 0x6, 0xE, 0x3, 0x1, 0x9, 0x4, 0x0, 0xA, 0xC, 0x5},
        {0x1, 0xE, 0x2, 0xB, 0x4, 0xC, 0x3, 0x7, 0x6, 0xD, 0xA, 0x5, 0xF, 0x9, 0x0, 0x8},
        {0x4, 0xC, 0x7, 0x5, 0x1, 0x6, 0x9, 0xA, 0x0, 0xE, 0xD, 0x8, 0x2, 0xB, 0x3, 0xF},
        {0xB, 0x9, 0x5, 0x1, 0xC, 0x3, 0xD, 0xE, 0x6, 0x4, 0x7, 0xF, 0x2, 0x0, 0x8, 0xA},
    },
};

// Which q each byte position goes through, innermost first (figure 2, k = 4).
constexpr int q_order[4][5] = {{1, 1, 0, 0, 1}, {0, 1, 1, 0, 0}, {0, 0, 0, 1, 1}, {1, 0, 1, 1, 0}};

// 64 bytes as bit planes: bit i of plane b is bit b of byte i.
using Planes = std::array<std::uint64_t, 8>;

// Algebraic normal form of output bit `bit` of a 4-bit table: bit m of the result is set where the
// product of the input bits in m is a term.
constexpr std::uint16_t normal_form(const std::uint8_t (&table)[16], int bit) {
  std::uint16_t form = 0;
  for (unsigned term = 0; term < 16; ++term) {
    unsigned sum = 0;
    for (unsigned x = 0; x < 16; ++x) {
      if ((x & ~term) == 0) sum ^= static_cast<unsigned>(table[x] >> bit) & 1U;
    }
    form = static_cast<std::uint16_t>(form | (sum << term));
  }
  return form;
}

struct NormalForms {
  std::uint16_t form[2][4][4];  // [q][t][output bit]
};

constexpr NormalForms make_normal_forms() {
  NormalForms forms{};
  for (int q = 0; q < 2; ++q) {
    for (int t = 0; t < 4; ++t) {
      for (int bit = 0; bit < 4; ++bit) forms.form[q][t][bit] = normal_form(q_nibbles[q][t], bit);
    }
  }
  return forms;
}

constexpr NormalForms normal_forms = make_normal_forms();

// One of the tables t0..t3 on 64 nibbles. The forms are public constants.
void substitute_nibbles(const std::uint16_t (&forms)[4], std::uint64_t* nibble) noexcept {
  std::uint64_t product[16];
  product[0] = ~std::uint64_t{0};
  for (unsigned term = 1; term < 16; ++term) {
    product[term] = product[term & (term - 1)] & nibble[std::countr_zero(term)];
  }
  for (int bit = 0; bit < 4; ++bit) {
    std::uint64_t sum = 0;
    for (unsigned term = 0; term < 16; ++term) {
      sum ^= product[term] & (0 - static_cast<std::uint64_t>((forms[bit] >> term) & 1U));
    }
    nibble[bit] = sum;
  }
  wipe(product, sizeof product);
}

// (a, b) -> (a ^ b, a ^ ROR4(b, 1) ^ 8a mod 16); a in planes 4..7, b in 0..3 before, and a' in
// 4..7, b' in 0..3 afterwards.
void mix_nibbles(Planes& x) noexcept {
  const std::uint64_t mixed[4] = {x[4] ^ x[1], x[5] ^ x[2], x[6] ^ x[3], x[7] ^ x[0] ^ x[4]};
  for (std::size_t bit = 0; bit < 4; ++bit) {
    x[4 + bit] ^= x[bit];
    x[bit] = mixed[bit];
  }
}

// q0 or q1 on 64 bytes (4.3.5).
void apply_q(int q, Planes& x) noexcept {
  mix_nibbles(x);
  substitute_nibbles(normal_forms.form[q][0], &x[4]);
  substitute_nibbles(normal_forms.form[q][1], &x[0]);
  mix_nibbles(x);
  substitute_nibbles(normal_forms.form[q][2], &x[4]);
  substitute_nibbles(normal_forms.form[q][3], &x[0]);
  for (std::size_t bit = 0; bit < 4; ++bit) std::swap(x[bit], x[4 + bit]);
}

void add_key_byte(Planes& x, std::uint8_t key_byte, std::uint64_t lanes) noexcept {
  for (std::size_t bit = 0; bit < 8; ++bit) {
    x[bit] ^= lanes & (0 - static_cast<std::uint64_t>((key_byte >> bit) & 1U));
  }
}

// A list L0..L3 of key words as bytes: word i, byte j stands at [4 * i + j].
using KeyList = std::array<std::uint8_t, 16>;

// The q chain of byte position `j` with two key lists: `low` in lanes 0..31, `high` in the others.
void apply_chain(std::size_t j, const KeyList& low, const KeyList& high, Planes& x) noexcept {
  constexpr std::uint64_t low_lanes = 0xFFFFFFFF;
  for (std::size_t stage = 0; stage < 4; ++stage) {
    apply_q(q_order[j][stage], x);
    const std::size_t word = 3 - stage;
    add_key_byte(x, low[4 * word + j], low_lanes);
    add_key_byte(x, high[4 * word + j], ~low_lanes);
  }
  apply_q(q_order[j][4], x);
}

std::uint8_t byte_of_lane(const Planes& x, std::size_t lane) noexcept {
  unsigned value = 0;
  for (std::size_t bit = 0; bit < 8; ++bit) {
    value |= static_cast<unsigned>((x[bit] >> lane) & 1U) << bit;
  }
  return static_cast<std::uint8_t>(value);
}

// Lane i holds the byte first + i.
Planes counting_planes(unsigned first) noexcept {
  Planes x{};
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (std::size_t bit = 0; bit < 8; ++bit) {
      x[bit] |= static_cast<std::uint64_t>(((first + lane) >> bit) & 1U) << lane;
    }
  }
  return x;
}

// a * b in GF(2)[x] modulo the polynomial 0x100 + reduction; `a` public, `b` secret.
constexpr std::uint8_t multiply(unsigned a, unsigned b, unsigned reduction) noexcept {
  unsigned product = 0;
  for (; a != 0; a >>= 1) {
    product ^= b & (0 - (a & 1U));
    b = ((b << 1) & 0xFF) ^ ((0 - (b >> 7)) & reduction);
  }
  return static_cast<std::uint8_t>(product);
}

// MDS * y (4.2), y0 in the least significant byte, in GF(2^8) modulo x^8 + x^6 + x^5 + x^3 + 1.
std::uint32_t mds_column_sum(const std::uint8_t (&y)[4]) noexcept {
  constexpr std::uint8_t mds[4][4] = {{0x01, 0xEF, 0x5B, 0x5B},
                                      {0x5B, 0xEF, 0xEF, 0x01},
                                      {0xEF, 0x5B, 0x01, 0xEF},
                                      {0xEF, 0x01, 0xEF, 0x5B}};
  std::uint32_t word = 0;
  for (int row = 0; row < 4; ++row) {
    std::uint32_t sum = 0;
    for (int column = 0; column < 4; ++column) sum ^= multiply(mds[row][column], y[column], 0x69);
    word |= sum << (8 * row);
  }
  return word;
}

// The word of the S vector for key bytes m[0..7] (4.3), modulo x^8 + x^6 + x^3 + x^2 + 1.
void reed_solomon(const std::uint8_t* m, std::uint8_t* word) noexcept {
  constexpr std::uint8_t rs[4][8] = {{0x01, 0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E},
                                     {0xA4, 0x56, 0x82, 0xF3, 0x1E, 0xC6, 0x68, 0xE5},
                                     {0x02, 0xA1, 0xFC, 0xC1, 0x47, 0xAE, 0x3D, 0x19},
                                     {0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E, 0x03}};
  for (std::size_t row = 0; row < 4; ++row) {
    unsigned sum = 0;
    for (std::size_t column = 0; column < 8; ++column) {
      sum ^= multiply(rs[row][column], m[column], 0x4D);
    }
    word[row] = static_cast<std::uint8_t>(sum);
  }
}

// Everything that depends on the key, in one place to wipe.
struct Scratch {
  KeyList even;      // Me: words 0, 2, 4, 6 of the key
  KeyList odd;       // Mo: words 1, 3, 5, 7
  KeyList s;         // S: the list that keys g
  Planes planes[4];  // one byte position each
  std::uint8_t bytes[4];

  ~Scratch() { wipe(this, sizeof *this); }
};

void fill_s_boxes(Scratch& scratch, TwofishKey& expanded) noexcept {
  for (std::size_t j = 0; j < 4; ++j) {
    for (unsigned first = 0; first < 256; first += 64) {
      Planes& x = scratch.planes[0];
      x = counting_planes(first);
      apply_chain(j, scratch.s, scratch.s, x);
      for (std::size_t i = 0; i < 64; ++i) expanded.s_box[j][first + i] = byte_of_lane(x, i);
    }
  }
}

// Lane i of the low half is h(2i * rho, Me), of the high half h((2i + 1) * rho, Mo) (4.3.2).
void fill_subkeys(Scratch& scratch, TwofishKey& expanded) noexcept {
  Planes inputs{};
  for (unsigned i = 0; i < 20; ++i) {
    for (std::size_t bit = 0; bit < 8; ++bit) {
      inputs[bit] |= static_cast<std::uint64_t>(((2 * i) >> bit) & 1U) << i;
      inputs[bit] |= static_cast<std::uint64_t>(((2 * i + 1) >> bit) & 1U) << (32 + i);
    }
  }
  for (std::size_t j = 0; j < 4; ++j) {
    scratch.planes[j] = inputs;
    apply_chain(j, scratch.even, scratch.odd, scratch.planes[j]);
  }
  const auto h = [&scratch](std::size_t lane) noexcept {
    for (std::size_t j = 0; j < 4; ++j) scratch.bytes[j] = byte_of_lane(scratch.planes[j], lane);
    return mds_column_sum(scratch.bytes);
  };
  for (std::size_t i = 0; i < 20; ++i) {
    const std::uint32_t a = h(i);
    const std::uint32_t b = std::rotl(h(32 + i), 8);
    expanded.subkey[2 * i] = a + b;
    expanded.subkey[2 * i + 1] = std::rotl(a + 2 * b, 9);
  }
}

}  // namespace

void expand_twofish_key(const std::uint8_t* key, TwofishKey& expanded) noexcept {
  Scratch scratch;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      scratch.even[4 * i + j] = key[8 * i + j];
      scratch.odd[4 * i + j] = key[8 * i + 4 + j];
    }
    // S is the list (S3, S2, S1, S0), reversed (4.3).
    reed_solomon(key + 8 * i, &scratch.s[4 * (3 - i)]);
  }
  fill_s_boxes(scratch, expanded);
  fill_subkeys(scratch, expanded);
}

}  // namespace volt
