// PBKDF2 on the SHA extensions: SHA-256, several lanes whose rounds interleave.
#include <immintrin.h>

#include "crypto/cpu_features.h"
#include "crypto/isa/words.inl.h"
#include "crypto/kernels/pbkdf2_kernel.h"
#include "crypto/kernels/sha2_rounds.inl.h"

namespace volt {

namespace {

constexpr int lanes = 4;

// The eight words a ... h as the instructions want them, the first named in the highest place.
struct ShaState {
  __m128i abef;
  __m128i cdgh;
};

// Words 0-3 and 4-7 of a digest in order.
struct DigestWords {
  __m128i low;
  __m128i high;
};

VOLT_INLINE DigestWords to_digest(const ShaState& state) {
  return {_mm_shuffle_epi32(_mm_unpackhi_epi64(state.abef, state.cdgh), 0xB1),
          _mm_shuffle_epi32(_mm_unpacklo_epi64(state.abef, state.cdgh), 0xB1)};
}

VOLT_INLINE ShaState to_state(const DigestWords& digest) {
  const __m128i low = _mm_shuffle_epi32(digest.low, 0xB1);
  const __m128i high = _mm_shuffle_epi32(digest.high, 0xB1);
  return {_mm_unpacklo_epi64(high, low), _mm_unpackhi_epi64(high, low)};
}

// Everything secret of one run, so that it can be wiped in one go.
struct Loop {
  ShaState keyed[2];
  DigestWords u[lanes];
  DigestWords t[lanes];
  ShaState state[lanes];
  __m128i m[4][lanes];

  VOLT_INLINE void four_rounds(int group) {
    const __m128i k = _mm_loadu_si128(reinterpret_cast<const __m128i*>(sha256_k + group * 4));
    const int i = group & 3;
    VOLT_UNROLL(4)
    for (int lane = 0; lane < lanes; ++lane) {
      ShaState& s = state[lane];
      const __m128i kw = _mm_add_epi32(m[i][lane], k);
      s.cdgh = _mm_sha256rnds2_epu32(s.cdgh, s.abef, kw);
      s.abef = _mm_sha256rnds2_epu32(s.abef, s.cdgh, _mm_shuffle_epi32(kw, 0x0E));
    }
    if (group >= 12) return;
    VOLT_UNROLL(4)
    for (int lane = 0; lane < lanes; ++lane) {
      const __m128i last = m[(i + 3) & 3][lane];
      const __m128i middle = _mm_alignr_epi8(last, m[(i + 2) & 3][lane], 4);
      const __m128i first = _mm_sha256msg1_epu32(m[i][lane], m[(i + 1) & 3][lane]);
      m[i][lane] = _mm_sha256msg2_epu32(_mm_add_epi32(first, middle), last);
    }
  }

  // u = compression, from a keyed state, of the block that holds the digest u and its padding.
  VOLT_INLINE void half(int which) {
    for (int lane = 0; lane < lanes; ++lane) {
      m[0][lane] = u[lane].low;
      m[1][lane] = u[lane].high;
      m[2][lane] = _mm_set_epi32(0, 0, 0, static_cast<int>(0x80000000U));
      m[3][lane] = _mm_set_epi32((64 + 32) * 8, 0, 0, 0);
      state[lane] = keyed[which];
    }
    VOLT_UNROLL(16)
    for (int group = 0; group < 16; ++group) four_rounds(group);
    for (int lane = 0; lane < lanes; ++lane) {
      const ShaState sum{_mm_add_epi32(state[lane].abef, keyed[which].abef),
                         _mm_add_epi32(state[lane].cdgh, keyed[which].cdgh)};
      u[lane] = to_digest(sum);
    }
  }
};

VOLT_INLINE __m128i swap_bytes(__m128i words) {
  return _mm_shuffle_epi8(words,
                          _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
}

VOLT_INLINE DigestWords load_digest(const std::uint8_t* bytes) {
  const auto* words = reinterpret_cast<const __m128i*>(bytes);
  return {swap_bytes(_mm_loadu_si128(words)), swap_bytes(_mm_loadu_si128(words + 1))};
}

VOLT_INLINE void store_digest(const DigestWords& digest, std::uint8_t* bytes) {
  auto* words = reinterpret_cast<__m128i*>(bytes);
  _mm_storeu_si128(words, swap_bytes(digest.low));
  _mm_storeu_si128(words + 1, swap_bytes(digest.high));
}

void iterate(const void* inner, const void* outer, std::uint8_t* u, std::uint8_t* t,
             std::uint32_t count) {
  Loop loop;
  const void* keyed[2] = {inner, outer};
  for (int which = 0; which < 2; ++which) {
    const auto* words = static_cast<const __m128i*>(keyed[which]);
    loop.keyed[which] = to_state({_mm_loadu_si128(words), _mm_loadu_si128(words + 1)});
  }
  for (int lane = 0; lane < lanes; ++lane) {
    loop.u[lane] = load_digest(u + lane * 32);
    loop.t[lane] = load_digest(t + lane * 32);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    loop.half(0);
    loop.half(1);
    for (int lane = 0; lane < lanes; ++lane) {
      loop.t[lane].low = _mm_xor_si128(loop.t[lane].low, loop.u[lane].low);
      loop.t[lane].high = _mm_xor_si128(loop.t[lane].high, loop.u[lane].high);
    }
  }
  for (int lane = 0; lane < lanes; ++lane) {
    store_digest(loop.u[lane], u + lane * 32);
    store_digest(loop.t[lane], t + lane * 32);
  }
  wipe(&loop, sizeof loop);
}

}  // namespace

extern constinit const Pbkdf2Kernel pbkdf2_sha256_sha = {
    PrfId::sha256, "sha", cpu_sha | cpu_ssse3 | cpu_sse41, lanes, 178, iterate};

}  // namespace volt
