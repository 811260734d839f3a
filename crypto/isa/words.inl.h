// The words that every kernel uses for what the compiler must do: inline, unroll, wipe. Each is
// defined here and nowhere else.
// Internal linkage throughout: every kernel file has its own copy (see modes/xts_kernel.h).
#pragma once

#include <cstddef>

// A function that is always inlined, and (VOLT_INLINE_BODY, after the parameters) a lambda.
#define VOLT_INLINE inline __attribute__((always_inline))
#define VOLT_INLINE_BODY __attribute__((always_inline))

// A function that is inlined, but in builds with sanitizers (which define VOLT_ROLLED_LOOPS): they
// check every access, and would compile rounds that are written out for minutes.
#ifdef VOLT_ROLLED_LOOPS
#define VOLT_INLINE_ROUND [[gnu::noinline]] static
#else
#define VOLT_INLINE_ROUND VOLT_INLINE
#endif

// Before a loop: written out `n` times.
#define VOLT_UNROLL(n) _Pragma(VOLT_UNROLL_TEXT(GCC unroll n))
#define VOLT_UNROLL_TEXT(text) #text

namespace volt {

// In secure_buffer.cc; declared here because kernel files share no headers with inline code.
void secure_wipe(void* data, std::size_t size) noexcept;

namespace {

// A number as a type, usable where an intrinsic wants an immediate operand.
template <int N>
struct Index {
  static constexpr int value = N;
  constexpr operator int() const noexcept { return N; }  // NOLINT: implicit by design
};

// body(Index<0>{}), body(Index<1>{}), ... body(Index<N - 1>{}).
template <int N, class Body>
VOLT_INLINE void for_constants(const Body& body) noexcept {
  if constexpr (N > 0) {
    for_constants<N - 1>(body);
    body(Index<N - 1>{});
  }
}

// body(0), body(1), ... body(N - 1), unrolled, so that arrays of vectors live in registers (not
// with VOLT_ROLLED_LOOPS).
template <int N, class Body>
VOLT_INLINE void unroll(const Body& body) noexcept {
#ifdef VOLT_ROLLED_LOOPS
  for (int i = 0; i < N; ++i) body(i);
#else
  for_constants<N>([&](int i) VOLT_INLINE_BODY { body(i); });
#endif
}

// Zeros that the compiler may not leave out as a dead store.
VOLT_INLINE void wipe(void* data, std::size_t size) noexcept {
  secure_wipe(data, size);
}

}  // namespace
}  // namespace volt
