// PBKDF2 on the SHA extensions: SHA-256, several lanes whose rounds interleave.
#include "crypto/isa/sha.inl.h"
#include "crypto/isa/words.inl.h"
#include "crypto/kdf/hashes/sha2_rounds.inl.h"
#include "crypto/kdf/pbkdf2/pbkdf2_kernel.h"

namespace volt {

namespace {

using V = Sha::V;
constexpr int lanes = 4;

// The eight words a ... h as the instructions want them, the first named in the highest place.
struct ShaState {
  V abef;
  V cdgh;
};

// Words 0-3 and 4-7 of a digest in order.
struct DigestWords {
  V low;
  V high;
};

VOLT_INLINE V exchange_pairs(V words) {
  return Sha::permute32<1, 0, 3, 2>(words);
}

VOLT_INLINE DigestWords to_digest(const ShaState& state) {
  return {exchange_pairs(Sha::unpack_high64(state.abef, state.cdgh)),
          exchange_pairs(Sha::unpack_low64(state.abef, state.cdgh))};
}

VOLT_INLINE ShaState to_state(const DigestWords& digest) {
  const V low = exchange_pairs(digest.low);
  const V high = exchange_pairs(digest.high);
  return {Sha::unpack_low64(high, low), Sha::unpack_high64(high, low)};
}

// Everything secret of one run, so that it can be wiped in one go.
struct Loop {
  ShaState keyed[2];
  DigestWords u[lanes];
  DigestWords t[lanes];
  ShaState state[lanes];
  V m[4][lanes];

  VOLT_INLINE void four_rounds(int group) {
    const V k = Sha::load(sha256_k + group * 4);
    const int i = group & 3;
    VOLT_UNROLL(4)
    for (int lane = 0; lane < lanes; ++lane) {
      ShaState& s = state[lane];
      const V kw = Sha::add32(m[i][lane], k);
      s.cdgh = Sha::sha256_rounds(s.cdgh, s.abef, kw);
      s.abef = Sha::sha256_rounds(s.abef, s.cdgh, Sha::permute32<2, 3, 0, 0>(kw));
    }
    if (group >= 12) return;
    VOLT_UNROLL(4)
    for (int lane = 0; lane < lanes; ++lane) {
      m[i][lane] = Sha::sha256_more(m[i][lane], m[(i + 1) & 3][lane], m[(i + 2) & 3][lane],
                                    m[(i + 3) & 3][lane]);
    }
  }

  // u = compression, from a keyed state, of the block that holds the digest u and its padding.
  VOLT_INLINE void half(int which) {
    for (int lane = 0; lane < lanes; ++lane) {
      m[0][lane] = u[lane].low;
      m[1][lane] = u[lane].high;
      m[2][lane] = Sha::set_lanes(0x80000000U, 0);
      m[3][lane] = Sha::set_lanes(0, std::uint64_t{(64 + 32) * 8} << 32);
      state[lane] = keyed[which];
    }
    VOLT_UNROLL(16)
    for (int group = 0; group < 16; ++group) four_rounds(group);
    for (int lane = 0; lane < lanes; ++lane) {
      const ShaState sum{Sha::add32(state[lane].abef, keyed[which].abef),
                         Sha::add32(state[lane].cdgh, keyed[which].cdgh)};
      u[lane] = to_digest(sum);
    }
  }
};

VOLT_INLINE V swap_bytes(V words) {
  return Sha::shuffle(words, Sha::set_lanes(0x0405060700010203U, 0x0C0D0E0F08090A0BU));
}

VOLT_INLINE DigestWords load_digest(const std::uint8_t* bytes) {
  return {swap_bytes(Sha::load(bytes)), swap_bytes(Sha::load(bytes + 16))};
}

VOLT_INLINE void store_digest(const DigestWords& digest, std::uint8_t* bytes) {
  Sha::store(bytes, swap_bytes(digest.low));
  Sha::store(bytes + 16, swap_bytes(digest.high));
}

void iterate(const void* inner, const void* outer, std::uint8_t* u, std::uint8_t* t,
             std::uint32_t count) {
  Loop loop;
  const void* keyed[2] = {inner, outer};
  for (int which = 0; which < 2; ++which) {
    const auto* words = static_cast<const std::uint8_t*>(keyed[which]);
    loop.keyed[which] = to_state({Sha::load(words), Sha::load(words + 16)});
  }
  for (int lane = 0; lane < lanes; ++lane) {
    loop.u[lane] = load_digest(u + lane * 32);
    loop.t[lane] = load_digest(t + lane * 32);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    loop.half(0);
    loop.half(1);
    for (int lane = 0; lane < lanes; ++lane) {
      loop.t[lane].low = Sha::bit_xor(loop.t[lane].low, loop.u[lane].low);
      loop.t[lane].high = Sha::bit_xor(loop.t[lane].high, loop.u[lane].high);
    }
  }
  for (int lane = 0; lane < lanes; ++lane) {
    store_digest(loop.u[lane], u + lane * 32);
    store_digest(loop.t[lane], t + lane * 32);
  }
  wipe(&loop, sizeof loop);
}

}  // namespace

extern constinit const Pbkdf2Kernel pbkdf2_sha256_sha = {PrfId::sha256, "sha", Sha::features,
                                                         lanes,         178,   iterate};

}  // namespace volt
