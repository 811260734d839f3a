// Hashes whose state is eight rows of eight bytes (Whirlpool, Streebog), byte-sliced: vector i
// holds byte i of every row, for several messages ("streams"). Table lookups are shuffles by values
// of four bits, so no address depends on data.
//
// `Isa` is an instruction set (isa/avx2.inl.h) whose vectors hold wide_streams x 8 bytes. Within 16
// bytes of a vector stand the eight rows of two streams, by turns: byte 2 r + s is row r of stream
// s.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "crypto/isa/words.inl.h"

namespace volt {

namespace {

// Sixteen bytes for every 16 bytes of a vector: a shuffle's table, or its order.
struct Nibbles {
  alignas(16) std::uint8_t byte[16];
};

template <class Isa>
inline constexpr std::size_t wide_streams = sizeof(typename Isa::V) / 8;

// Whether substitutions and linear maps of whole bytes are instructions (isa/gfni512.inl.h).
template <class Isa>
inline constexpr bool wide_tables = requires {
  Isa::features_tables;
};

template <class Isa>
VOLT_INLINE typename Isa::V wide_bytes(const Nibbles& bytes) {
  return Isa::broadcast16(bytes.byte);
}
template <class Isa>
VOLT_INLINE typename Isa::V low_nibbles(typename Isa::V x) {
  return Isa::bit_and(x, Isa::set8(15));
}
template <class Isa>
VOLT_INLINE typename Isa::V high_nibbles(typename Isa::V x) {
  return low_nibbles<Isa>(Isa::template shift_right16<4>(x));
}

template <class Isa>
struct WideState {
  using V = typename Isa::V;
  V v[8];
};

constexpr std::size_t wide_place(std::size_t stream, std::size_t row) {
  return stream / 2 * 16 + row * 2 + stream % 2;
}

// Rows of all streams, 64 bytes each, to slices and back.
template <class Isa>
void wide_load(const std::uint8_t* rows, WideState<Isa>& state) {
  std::uint8_t slice[sizeof(typename Isa::V)];
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t s = 0; s < wide_streams<Isa>; ++s) {
      for (std::size_t r = 0; r < 8; ++r) slice[wide_place(s, r)] = rows[s * 64 + r * 8 + i];
    }
    std::memcpy(&state.v[i], slice, sizeof slice);
  }
  wipe(slice, sizeof slice);
}

template <class Isa>
void wide_store(const WideState<Isa>& state, std::uint8_t* rows) {
  std::uint8_t slice[sizeof(typename Isa::V)];
  for (std::size_t i = 0; i < 8; ++i) {
    std::memcpy(slice, &state.v[i], sizeof slice);
    for (std::size_t s = 0; s < wide_streams<Isa>; ++s) {
      for (std::size_t r = 0; r < 8; ++r) rows[s * 64 + r * 8 + i] = slice[wide_place(s, r)];
    }
  }
  wipe(slice, sizeof slice);
}

// The same 64 bytes for every stream.
template <class Isa>
void wide_broadcast(const std::uint8_t* rows, WideState<Isa>& state) {
  std::uint8_t all[wide_streams<Isa> * 64];
  for (std::size_t s = 0; s < wide_streams<Isa>; ++s) std::memcpy(all + s * 64, rows, 64);
  wide_load(all, state);
  wipe(all, sizeof all);
}

template <class Isa>
VOLT_INLINE void wide_xor(WideState<Isa>& state, const WideState<Isa>& other) {
  unroll<8>([&](auto i) VOLT_INLINE_BODY { state.v[i] = Isa::bit_xor(state.v[i], other.v[i]); });
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
  wipe(&loop, sizeof loop);
}

// Rows become columns, in every stream: 8 x 8 pairs of bytes in three rounds of interleaving.
template <class Isa>
VOLT_INLINE void wide_transpose(WideState<Isa>& state) {
  typename Isa::V a[8];
  typename Isa::V b[8];
  unroll<4>([&](auto i) VOLT_INLINE_BODY {
    a[2 * i] = Isa::unpack_low16(state.v[i], state.v[i + 4]);
    a[2 * i + 1] = Isa::unpack_high16(state.v[i], state.v[i + 4]);
  });
  unroll<4>([&](auto i) VOLT_INLINE_BODY {
    b[2 * i] = Isa::unpack_low16(a[i], a[i + 4]);
    b[2 * i + 1] = Isa::unpack_high16(a[i], a[i + 4]);
  });
  unroll<4>([&](auto i) VOLT_INLINE_BODY {
    state.v[2 * i] = Isa::unpack_low16(b[i], b[i + 4]);
    state.v[2 * i + 1] = Isa::unpack_high16(b[i], b[i + 4]);
  });
}

}  // namespace
}  // namespace volt
