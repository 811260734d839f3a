// The SHA extensions on SSE4.1: rounds of SHA-256.
#pragma once

#include <immintrin.h>

#include "crypto/isa/ssse3.inl.h"

namespace volt {
namespace {

struct Sha : Ssse3 {
  static constexpr std::uint32_t features = Ssse3::features | cpu_sse41 | cpu_sha;

  // Two rounds: the state is in words a, b, e, f and c, d, g, h, the first named in the highest
  // place; the two lower words of `words` are of the message with the round's constant added. The
  // result is the new `abef`; the old one is the new `cdgh`.
  static VOLT_INLINE V sha256_rounds(V cdgh, V abef, V words) {
    return _mm_sha256rnds2_epu32(cdgh, abef, words);
  }
  // Four more words of the message from the sixteen before (FIPS 180-4, 6.2.2), oldest first.
  static VOLT_INLINE V sha256_more(V m0, V m1, V m2, V m3) {
    const V first = _mm_sha256msg1_epu32(m0, m1);
    return _mm_sha256msg2_epu32(add32(first, _mm_alignr_epi8(m3, m2, 4)), m3);
  }
};

}  // namespace
}  // namespace volt
