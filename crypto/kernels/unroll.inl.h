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
VOLT_ALWAYS_INLINE inline void for_constants(const Body& body) noexcept {
  if constexpr (N > 0) {
    for_constants<N - 1>(body);
    body(Index<N - 1>{});
  }
}

// body(0), body(1), ... body(N - 1), unrolled. Builds with sanitizers define VOLT_ROLLED_LOOPS:
// they check every access to an array, and a thousand unrolled checks would compile for minutes.
template <int N, class Body>
VOLT_ALWAYS_INLINE inline void unroll(const Body& body) noexcept {
#ifdef VOLT_ROLLED_LOOPS
  for (int i = 0; i < N; ++i) body(i);
#else
  for_constants<N>([&](int i) VOLT_ALWAYS_INLINE { body(i); });
#endif
}

}  // namespace
}  // namespace volt
