// Twofish's MDS matrix (section 4.2) on byte-sliced registers: s[j] holds byte j of many words.
#pragma once

#include <cstdint>

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/gfni_matrix.inl.h"

namespace volt::twofish {

// Without templates these need internal linkage (see xts_kernel.h).
namespace {

// Products by 5B and EF in GF(2^8) modulo 0x169 of the 16 low and the 16 high nibbles.
struct MdsTables {
  alignas(16) std::uint8_t low5b[16];
  alignas(16) std::uint8_t high5b[16];
  alignas(16) std::uint8_t lowef[16];
  alignas(16) std::uint8_t highef[16];
};

constexpr std::uint8_t mds_product(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; a != 0; a >>= 1) {
    if ((a & 1) != 0) product ^= b;
    b = (b << 1) ^ ((b & 0x80) != 0 ? 0x169U : 0U);
  }
  return static_cast<std::uint8_t>(product);
}

constexpr MdsTables make_mds_tables() {
  MdsTables tables{};
  for (unsigned i = 0; i < 16; ++i) {
    tables.low5b[i] = mds_product(0x5B, i);
    tables.high5b[i] = mds_product(0x5B, i << 4);
    tables.lowef[i] = mds_product(0xEF, i);
    tables.highef[i] = mds_product(0xEF, i << 4);
  }
  return tables;
}

constexpr long long mds_product_matrix(unsigned factor) {
  std::uint8_t images[8] = {};
  for (unsigned bit = 0; bit < 8; ++bit) images[bit] = mds_product(factor, 1U << bit);
  return gfni_matrix(images);
}

}  // namespace

// MDS * s from s, x = 5B * s and y = EF * s; in place.
template <class Isa>
VOLT_INLINE void sum_products(typename Isa::V (&s)[4], const typename Isa::V (&x)[4],
                              const typename Isa::V (&y)[4]) {
  const auto z0 = Isa::xor4(s[0], y[1], x[2], x[3]);
  const auto z1 = Isa::xor4(x[0], y[1], y[2], s[3]);
  const auto z2 = Isa::xor4(y[0], x[1], s[2], y[3]);
  const auto z3 = Isa::xor4(y[0], s[1], y[2], x[3]);
  s[0] = z0;
  s[1] = z1;
  s[2] = z2;
  s[3] = z3;
}

// Products by two shuffles each.
template <class Isa>
struct ShuffleMds {
  using V = typename Isa::V;

  static VOLT_INLINE void mix(V (&s)[4]) {
    const V nibble = Isa::set8(0x0F);
    const V low5b = Isa::broadcast16(tables.low5b);
    const V high5b = Isa::broadcast16(tables.high5b);
    const V lowef = Isa::broadcast16(tables.lowef);
    const V highef = Isa::broadcast16(tables.highef);
    V x[4], y[4];
    for (int j = 0; j < 4; ++j) {
      const V low = Isa::bit_and(s[j], nibble);
      const V high = Isa::bit_and(Isa::template shift_right16<4>(s[j]), nibble);
      x[j] = Isa::bit_xor(Isa::shuffle(low5b, low), Isa::shuffle(high5b, high));
      y[j] = Isa::bit_xor(Isa::shuffle(lowef, low), Isa::shuffle(highef, high));
    }
    sum_products<Isa>(s, x, y);
  }

 private:
  static constexpr MdsTables tables = make_mds_tables();
};

// Products by one instruction each.
template <class Gfni>
struct MatrixMds {
  using V = typename Gfni::V;

  static VOLT_INLINE void mix(V (&s)[4]) {
    constexpr long long matrix5b = mds_product_matrix(0x5B);
    constexpr long long matrixef = mds_product_matrix(0xEF);
    V x[4], y[4];
    for (int j = 0; j < 4; ++j) {
      x[j] = Gfni::template affine<0>(s[j], matrix5b);
      y[j] = Gfni::template affine<0>(s[j], matrixef);
    }
    sum_products<Gfni>(s, x, y);
  }
};

}  // namespace volt::twofish
