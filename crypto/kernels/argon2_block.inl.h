// Argon2's compression function over vectors; `Ops` describes them.
//
// `Ops::V` holds four words of each of `Ops::rows` rows (or columns) of a block, so that a round of
// the permutation P takes four of them: a, b, c and d.
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

// BLAKE2b's G with the multiplication of the low halves (RFC 9106, 3.6), on two sets that hide each
// other's latency.
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

template <class Ops>
void argon2_compress(const std::uint64_t* previous, const std::uint64_t* reference,
                     std::uint64_t* out, bool add) {
  constexpr int sets = 2;
  constexpr int step = Ops::rows * sets;
  alignas(64) std::uint64_t block[argon2_block_words];
  for (int row = 0; row < 8; row += step) {
    Argon2Rows<Ops> r[sets];
    unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE {
      const int at = (row + i * Ops::rows) * 16;
      const auto load = [&](int words) VOLT_ALWAYS_INLINE {
        return Ops::exclusive_or(Ops::load_row(previous + at + words),
                                 Ops::load_row(reference + at + words));
      };
      r[i] = {load(0), load(4), load(8), load(12)};
    });
    argon2_permute(r);
    unroll<sets>([&](auto i) VOLT_ALWAYS_INLINE {
      std::uint64_t* at = block + (row + i * Ops::rows) * 16;
      Ops::store_row(at, r[i].a);
      Ops::store_row(at + 4, r[i].b);
      Ops::store_row(at + 8, r[i].c);
      Ops::store_row(at + 12, r[i].d);
    });
  }
  for (int column = 0; column < 8; column += step) {
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
  if (add) {
    for (int i = 0; i < argon2_block_words; ++i) out[i] ^= previous[i] ^ reference[i] ^ block[i];
  } else {
    for (int i = 0; i < argon2_block_words; ++i) out[i] = previous[i] ^ reference[i] ^ block[i];
  }
}

}  // namespace
}  // namespace volt
