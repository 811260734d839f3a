// Loops that the compiler must unroll, so that arrays of vectors live in registers.
// Internal linkage throughout: every kernel file has its own copy (see xts_kernel.h).
#pragma once

#define VOLT_ALWAYS_INLINE __attribute__((always_inline))

namespace volt {
namespace {

// A number as a type, usable where an intrinsic wants an immediate operand.
template <int N>
struct Index {
  static constexpr int value = N;
  constexpr operator int() const noexcept { return N; }  // NOLINT: implicit by design
};

// body(Index<0>{}), body(Index<1>{}), ... body(Index<N - 1>{}).
template <int N, class Body>
VOLT_ALWAYS_INLINE inline void unroll(const Body& body) noexcept {
  if constexpr (N > 0) {
    unroll<N - 1>(body);
    body(Index<N - 1>{});
  }
}

}  // namespace
}  // namespace volt
