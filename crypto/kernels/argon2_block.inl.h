// Argon2's compression function over the vectors of an instruction set (isa/avx2.inl.h).
//
// `Isa::V` holds four words of each of `Isa::rows` rows (or columns) of a block, so that a round of
// the permutation P takes four of them: a, b, c and d. `Isa::row_sets` such sets go side by side;
// load_row, store_row, load_column and store_column lay them out.
#pragma once

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/argon2_kernel.h"

namespace volt {
namespace {

template <class Isa>
struct Argon2Rows {
  using V = typename Isa::V;
  V a, b, c, d;
};

// x + y + 2 * low32(x) * low32(y)
template <class Isa>
VOLT_INLINE typename Isa::V add_product(typename Isa::V x, typename Isa::V y) {
  const auto product = Isa::multiply_low32(x, y);
  return Isa::add64(Isa::add64(x, y), Isa::add64(product, product));
}

// BLAKE2b's G with the multiplication of the low halves (RFC 9106, 3.6), on several sets that hide
// each other's latency.
template <class Isa, int sets>
VOLT_INLINE void argon2_mix(Argon2Rows<Isa> (&r)[sets]) {
  unroll<sets>([&](auto i) VOLT_INLINE_BODY { r[i].a = add_product<Isa>(r[i].a, r[i].b); });
  unroll<sets>([&](auto i) VOLT_INLINE_BODY {
    r[i].d = Isa::template rotate_right64<32>(Isa::bit_xor(r[i].d, r[i].a));
  });
  unroll<sets>([&](auto i) VOLT_INLINE_BODY { r[i].c = add_product<Isa>(r[i].c, r[i].d); });
  unroll<sets>([&](auto i) VOLT_INLINE_BODY {
    r[i].b = Isa::template rotate_right64<24>(Isa::bit_xor(r[i].b, r[i].c));
  });
  unroll<sets>([&](auto i) VOLT_INLINE_BODY { r[i].a = add_product<Isa>(r[i].a, r[i].b); });
  unroll<sets>([&](auto i) VOLT_INLINE_BODY {
    r[i].d = Isa::template rotate_right64<16>(Isa::bit_xor(r[i].d, r[i].a));
  });
  unroll<sets>([&](auto i) VOLT_INLINE_BODY { r[i].c = add_product<Isa>(r[i].c, r[i].d); });
  unroll<sets>([&](auto i) VOLT_INLINE_BODY {
    r[i].b = Isa::template rotate_right64<63>(Isa::bit_xor(r[i].b, r[i].c));
  });
}

// P: columns, then diagonals.
template <class Isa, int sets>
VOLT_INLINE void argon2_permute(Argon2Rows<Isa> (&r)[sets]) {
  argon2_mix(r);
  unroll<sets>([&](auto i) VOLT_INLINE_BODY {
    r[i].b = Isa::template turn64<1>(r[i].b);
    r[i].c = Isa::template turn64<2>(r[i].c);
    r[i].d = Isa::template turn64<3>(r[i].d);
  });
  argon2_mix(r);
  unroll<sets>([&](auto i) VOLT_INLINE_BODY {
    r[i].b = Isa::template turn64<3>(r[i].b);
    r[i].c = Isa::template turn64<2>(r[i].c);
    r[i].d = Isa::template turn64<1>(r[i].d);
  });
}

// P on the rows of a block that previous and reference give, from row `row` on.
template <class Isa>
VOLT_INLINE void argon2_rows(const std::uint64_t* previous, const std::uint64_t* reference, int row,
                             std::uint64_t* block) {
  Argon2Rows<Isa> r[Isa::row_sets];
  unroll<Isa::row_sets>([&](auto i) VOLT_INLINE_BODY {
    const int at = (row + i * Isa::rows) * 16;
    const auto load = [&](int words) VOLT_INLINE_BODY {
      return Isa::bit_xor(Isa::load_row(previous + at + words),
                          Isa::load_row(reference + at + words));
    };
    r[i] = {load(0), load(4), load(8), load(12)};
  });
  argon2_permute(r);
  unroll<Isa::row_sets>([&](auto i) VOLT_INLINE_BODY {
    std::uint64_t* at = block + (row + i * Isa::rows) * 16;
    Isa::store_row(at, r[i].a);
    Isa::store_row(at + 4, r[i].b);
    Isa::store_row(at + 8, r[i].c);
    Isa::store_row(at + 12, r[i].d);
  });
}

constexpr int argon2_column_sets = 2;

// P on columns (of two words each), from `column` on.
template <class Isa>
VOLT_INLINE void argon2_columns(int column, std::uint64_t* block) {
  constexpr int sets = argon2_column_sets;
  Argon2Rows<Isa> r[sets];
  unroll<sets>([&](auto i) VOLT_INLINE_BODY {
    const std::uint64_t* at = block + (column + i * Isa::rows) * 2;
    r[i] = {Isa::load_column(at), Isa::load_column(at + 32), Isa::load_column(at + 64),
            Isa::load_column(at + 96)};
  });
  argon2_permute(r);
  unroll<sets>([&](auto i) VOLT_INLINE_BODY {
    std::uint64_t* at = block + (column + i * Isa::rows) * 2;
    Isa::store_column(at, r[i].a);
    Isa::store_column(at + 32, r[i].b);
    Isa::store_column(at + 64, r[i].c);
    Isa::store_column(at + 96, r[i].d);
  });
}

VOLT_INLINE void argon2_prefetch(const std::uint64_t* block) {
  constexpr int line_words = 8;
  for (int at = 0; at < argon2_block_words; at += line_words) __builtin_prefetch(block + at);
}

template <class Isa>
void argon2_compress(const std::uint64_t* previous, const std::uint64_t* reference,
                     std::uint64_t* out, bool add, const Argon2Area* next) {
  alignas(64) std::uint64_t block[argon2_block_words];
  for (int row = 0; row < 8; row += Isa::rows * Isa::row_sets) {
    argon2_rows<Isa>(previous, reference, row, block);
  }
  argon2_columns<Isa>(0, block);
  if (next != nullptr) {
    const std::uint64_t first = previous[0] ^ reference[0] ^ block[0] ^ (add ? out[0] : 0);
    argon2_prefetch(argon2_reference(*next, static_cast<std::uint32_t>(first)));
  }
  constexpr int step = Isa::rows * argon2_column_sets;
  for (int column = step; column < 8; column += step) argon2_columns<Isa>(column, block);
  if (add) {
    for (int i = 0; i < argon2_block_words; ++i) out[i] ^= previous[i] ^ reference[i] ^ block[i];
  } else {
    for (int i = 0; i < argon2_block_words; ++i) out[i] = previous[i] ^ reference[i] ^ block[i];
  }
}

}  // namespace
}  // namespace volt
