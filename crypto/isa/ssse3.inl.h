// SSSE3: SSE2 with shuffles of bytes.
#pragma once

#include <tmmintrin.h>

#include "crypto/isa/sse2.inl.h"

namespace volt {
namespace {

struct Ssse3 : Sse2 {
  static constexpr std::uint32_t features = Sse2::features | cpu_ssse3;

  // Within each 128-bit lane: byte i is table[index[i] & 15], or 0 where bit 7 of index[i] is set.
  static VOLT_INLINE V shuffle(V table, V index) { return _mm_shuffle_epi8(table, index); }
};

}  // namespace
}  // namespace volt
