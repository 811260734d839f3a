// Hashes whose state is eight rows of eight bytes (Whirlpool, Streebog), byte-sliced: vector i
// holds byte i of every row, for several messages ("streams"). Table lookups are shuffles by values
// of four bits, so no address depends on data.
//
// `Ops` describes vectors of `Ops::streams` x 8 bytes. Within 16 bytes of a vector stand the eight
// rows of two streams, by turns: byte 2 r + s is row r of stream s.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "crypto/kernels/unroll.inl.h"

namespace volt {

// In secure_buffer.cc; declared here because kernel files share no headers with inline code.
void secure_wipe(void* data, std::size_t size) noexcept;

namespace {

#define VOLT_WIDE_INLINE VOLT_ALWAYS_INLINE inline

// Sixteen bytes for every 16 bytes of a vector: a shuffle's table, or its order.
struct Nibbles {
  alignas(16) std::uint8_t byte[16];
};

template <class Ops>
struct WideState {
  using V = typename Ops::V;
  V v[8];
};

constexpr std::size_t wide_place(std::size_t stream, std::size_t row) {
  return stream / 2 * 16 + row * 2 + stream % 2;
}

// Rows of all streams, 64 bytes each, to slices and back.
template <class Ops>
void wide_load(const std::uint8_t* rows, WideState<Ops>& state) {
  std::uint8_t slice[sizeof(typename Ops::V)];
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t s = 0; s < Ops::streams; ++s) {
      for (std::size_t r = 0; r < 8; ++r) slice[wide_place(s, r)] = rows[s * 64 + r * 8 + i];
    }
    std::memcpy(&state.v[i], slice, sizeof slice);
  }
  secure_wipe(slice, sizeof slice);
}

template <class Ops>
void wide_store(const WideState<Ops>& state, std::uint8_t* rows) {
  std::uint8_t slice[sizeof(typename Ops::V)];
  for (std::size_t i = 0; i < 8; ++i) {
    std::memcpy(slice, &state.v[i], sizeof slice);
    for (std::size_t s = 0; s < Ops::streams; ++s) {
      for (std::size_t r = 0; r < 8; ++r) rows[s * 64 + r * 8 + i] = slice[wide_place(s, r)];
    }
  }
  secure_wipe(slice, sizeof slice);
}

// The same 64 bytes for every stream.
template <class Ops>
void wide_broadcast(const std::uint8_t* rows, WideState<Ops>& state) {
  std::uint8_t all[Ops::streams * 64];
  for (std::size_t s = 0; s < Ops::streams; ++s) std::memcpy(all + s * 64, rows, 64);
  wide_load(all, state);
  secure_wipe(all, sizeof all);
}

template <class Ops>
VOLT_WIDE_INLINE void wide_xor(WideState<Ops>& state, const WideState<Ops>& other) {
  unroll<8>([&](auto i)
                VOLT_ALWAYS_INLINE { state.v[i] = Ops::exclusive_or(state.v[i], other.v[i]); });
}

// PBKDF2's iterations of a loop that is set up: u = HMAC(u), t = t ^ u, `count` times; wipes it.
template <class Loop>
void wide_run(Loop& loop, std::uint8_t* u, std::uint8_t* t, std::uint32_t count) {
  wide_load(u, loop.u);
  wide_load(t, loop.t);
  for (std::uint32_t i = 0; i < count; ++i) {
    loop.half(0);
    loop.half(1);
    wide_xor(loop.t, loop.u);
  }
  wide_store(loop.u, u);
  wide_store(loop.t, t);
  secure_wipe(&loop, sizeof loop);
}

// Rows become columns, in every stream: 8 x 8 pairs of bytes in three rounds of interleaving.
template <class Ops>
VOLT_WIDE_INLINE void wide_transpose(WideState<Ops>& state) {
  typename Ops::V a[8];
  typename Ops::V b[8];
  unroll<4>([&](auto i) VOLT_ALWAYS_INLINE {
    a[2 * i] = Ops::interleave_low16(state.v[i], state.v[i + 4]);
    a[2 * i + 1] = Ops::interleave_high16(state.v[i], state.v[i + 4]);
  });
  unroll<4>([&](auto i) VOLT_ALWAYS_INLINE {
    b[2 * i] = Ops::interleave_low16(a[i], a[i + 4]);
    b[2 * i + 1] = Ops::interleave_high16(a[i], a[i + 4]);
  });
  unroll<4>([&](auto i) VOLT_ALWAYS_INLINE {
    state.v[2 * i] = Ops::interleave_low16(b[i], b[i + 4]);
    state.v[2 * i + 1] = Ops::interleave_high16(b[i], b[i + 4]);
  });
}

}  // namespace
}  // namespace volt
