// Argon2's compression function over vectors; `Ops` describes them.
//
// `Ops::V` holds four words of each of `Ops::rows` rows (or columns) of a block, so that a round of
// the permutation P takes four of them: a, b, c and d. `Ops::row_sets` such sets go side by side.
#pragma once

#include "crypto/kernels/argon2_kernel.h"
#include "crypto/kernels/unroll.inl.h"

namespace volt {
namespace {

#define VOLT_ARGON2_INLINE VOLT_ALWAYS_INLINE inline

template <class Ops>
struct Argon2Rows {
  using V = typename Ops::V;
  V a, b, c, d;
};

// BLAKE2b's G with the multiplication of the low halves (RFC 9106, 3.6), on several sets that hide
// each other's latency.
template <class Ops, int sets>
VOLT_ARGON2_INLINE void argon2_mix(Argon2Rows<Ops> (&r)[sets]) {
  unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE { r[i].a = Ops::add_product(r[i].a, r[i].b); });
  unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE {
    r[i].d = Ops::rotate32(Ops::exclusive_or(r[i].d, r[i].a));
  });
  unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE { r[i].c = Ops::add_product(r[i].c, r[i].d); });
  unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE {
    r[i].b = Ops::rotate24(Ops::exclusive_or(r[i].b, r[i].c));
  });
  unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE { r[i].a = Ops::add_product(r[i].a, r[i].b); });
  unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE {
    r[i].d = Ops::rotate16(Ops::exclusive_or(r[i].d, r[i].a));
  });
  unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE { r[i].c = Ops::add_product(r[i].c, r[i].d); });
  unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE {
    r[i].b = Ops::rotate63(Ops::exclusive_or(r[i].b, r[i].c));
  });
}

// P: columns, then diagonals.
template <class Ops, int sets>
VOLT_ARGON2_INLINE void argon2_permute(Argon2Rows<Ops> (&r)[sets]) {
  argon2_mix(r);
  unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE {
    r[i].b = Ops::template turn<1>(r[i].b);
    r[i].c = Ops::template turn<2>(r[i].c);
    r[i].d = Ops::template turn<3>(r[i].d);
  });
  argon2_mix(r);
  unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE {
    r[i].b = Ops::template turn<3>(r[i].b);
    r[i].c = Ops::template turn<2>(r[i].c);
    r[i].d = Ops::template turn<1>(r[i].d);
  });
}

// P on the rows of a block that previous and reference give, from row `row` on.
template <class Ops>
VOLT_ARGON2_INLINE void argon2_rows(const std::uint64_t* previous, const std::uint64_t* reference,
                                    int row, std::uint64_t* block) {
  Argon2Rows<Ops> r[Ops::row_sets];
  unroll<Ops::row_sets>([&](auto i) VOLT_ALWAYS_INLINE {
    const int at = (row + i * Ops::rows) * 16;
    const auto load = [&](int words) VOLT_ALWAYS_INLINE {
      return Ops::exclusive_or(Ops::load_row(previous + at + words),
                               Ops::load_row(reference + at + words));
    };
    r[i] = {load(0), load(4), load(8), load(12)};
  });
  argon2_permute(r);
  unroll<Ops::row_sets>([&](auto i) VOLT_ALWAYS_INLINE {
    std::uint64_t* at = block + (row + i * Ops::rows) * 16;
    Ops::store_row(at, r[i].a);
    Ops::store_row(at + 4, r[i].b);
    Ops::store_row(at + 8, r[i].c);
    Ops::store_row(at + 12, r[i].d);
  });
}

constexpr int argon2_column_sets = 2;

// P on columns (of two words each), from `column` on.
template <class Ops>
VOLT_ARGON2_INLINE void argon2_columns(int column, std::uint64_t* block) {
  constexpr int sets = argon2_column_sets;
  Argon2Rows<Ops> r[sets];
  unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE {
    const std::uint64_t* at = block + (column + i * Ops::rows) * 2;
    r[i] = {Ops::load_column(at), Ops::load_column(at + 32), Ops::load_column(at + 64),
            Ops::load_column(at + 96)};
  });
  argon2_permute(r);
  unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE {
    std::uint64_t* at = block + (column + i * Ops::rows) * 2;
    Ops::store_column(at, r[i].a);
    Ops::store_column(at + 32, r[i].b);
    Ops::store_column(at + 64, r[i].c);
    Ops::store_column(at + 96, r[i].d);
  });
}

VOLT_ARGON2_INLINE void argon2_prefetch(const std::uint64_t* block) {
  constexpr int line_words = 8;
  for (int at = 0; at < argon2_block_words; at += line_words) __builtin_prefetch(block + at);
}

template <class Ops>
void argon2_compress(const std::uint64_t* previous, const std::uint64_t* reference,
                     std::uint64_t* out, bool add, const Argon2Area* next) {
  alignas(64) std::uint64_t block[argon2_block_words];
  for (int row = 0; row < 8; row += Ops::rows * Ops::row_sets) {
    argon2_rows<Ops>(previous, reference, row, block);
  }
  argon2_columns<Ops>(0, block);
  if (next != nullptr) {
    const std::uint64_t first = previous[0] ^ reference[0] ^ block[0] ^ (add ? out[0] : 0);
    argon2_prefetch(argon2_reference(*next, static_cast<std::uint32_t>(first)));
  }
  constexpr int step = Ops::rows * argon2_column_sets;
  for (int column = step; column < 8; column += step) argon2_columns<Ops>(column, block);
  if (add) {
    for (int i = 0; i < argon2_block_words; ++i) out[i] ^= previous[i] ^ reference[i] ^ block[i];
  } else {
    for (int i = 0; i < argon2_block_words; ++i) out[i] = previous[i] ^ reference[i] ^ block[i];
  }
}

}  // namespace
}  // namespace volt
