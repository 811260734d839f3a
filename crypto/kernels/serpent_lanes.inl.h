// The words of Serpent's rounds on any instruction set: one set of blocks, a block a 32-bit lane.
#pragma once

#include <cstdint>

#include "crypto/kernels/serpent_xts.inl.h"

namespace volt::serpent {

// See serpent_rounds.inl.h and serpent_xts.inl.h for what is asked of it.
template <class Isa>
struct Lanes {
  using Base = Lanes;
  static constexpr int sets = 1;
  static constexpr int lanes = Isa::bytes / 4;
  static constexpr bool ternary = Isa::ternary;
  // Where there is no broadcasting load, every word stands in the schedule four times.
  static constexpr int key_copies = Isa::broadcasts_words ? 1 : 4;
  typename Isa::V v;

  static VOLT_INLINE Lanes zero() { return {Isa::zero()}; }
  static VOLT_INLINE Lanes load(const std::uint8_t* bytes) { return {Isa::load(bytes)}; }
  static VOLT_INLINE void store(std::uint8_t* bytes, Lanes w) { Isa::store(bytes, w.v); }
  static VOLT_INLINE Lanes broadcast(std::uint32_t word) { return {Isa::set32(word)}; }
  static VOLT_INLINE Lanes load_key(const std::uint32_t* key) {
    if constexpr (Isa::broadcasts_words) return broadcast(*key);
    return {Isa::broadcast16(key)};
  }
  static VOLT_INLINE Lanes shift_left_each(Lanes w, Lanes counts) {
    return {Isa::shift_left_each32(w.v, counts.v)};
  }
  static VOLT_INLINE Lanes shift_right_each(Lanes w, Lanes counts) {
    return {Isa::shift_right_each32(w.v, counts.v)};
  }

  // The tweaks of a unit's first blocks.
  static VOLT_INLINE State<Lanes> alpha_powers(const std::uint32_t* words, int stride) {
    if constexpr (requires { Isa::shift_left_each32(Isa::zero(), Isa::zero()); }) {
      return alpha_powers_by_shifts<Lanes>(words, stride);
    } else {
      return alpha_powers_by_numbers(words, stride);
    }
  }

  template <int table>
  static VOLT_INLINE Lanes lookup(Lanes a, Lanes b, Lanes c) {
    return {Isa::template logic<table>(a.v, b.v, c.v)};
  }
  friend VOLT_INLINE Lanes operator^(Lanes a, Lanes b) { return {Isa::bit_xor(a.v, b.v)}; }
  friend VOLT_INLINE Lanes operator&(Lanes a, Lanes b) { return {Isa::bit_and(a.v, b.v)}; }
  friend VOLT_INLINE Lanes operator|(Lanes a, Lanes b) { return {Isa::bit_or(a.v, b.v)}; }
  friend VOLT_INLINE Lanes and_not(Lanes a, Lanes b) { return {Isa::and_not(b.v, a.v)}; }
  friend VOLT_INLINE Lanes xor3(Lanes a, Lanes b, Lanes c) { return {Isa::xor3(a.v, b.v, c.v)}; }
  friend VOLT_INLINE Lanes low32(Lanes a, Lanes b) { return {Isa::unpack_low32(a.v, b.v)}; }
  friend VOLT_INLINE Lanes high32(Lanes a, Lanes b) { return {Isa::unpack_high32(a.v, b.v)}; }
  friend VOLT_INLINE Lanes low64(Lanes a, Lanes b) { return {Isa::unpack_low64(a.v, b.v)}; }
  friend VOLT_INLINE Lanes high64(Lanes a, Lanes b) { return {Isa::unpack_high64(a.v, b.v)}; }

 private:
  // Without shifts by a count of each lane's own, the four tweaks are made as numbers, then
  // transposed.
  static VOLT_INLINE State<Lanes> alpha_powers_by_numbers(const std::uint32_t* words, int stride) {
    static_assert(lanes == 4);
    std::uint64_t low = words[0] | static_cast<std::uint64_t>(words[stride]) << 32;
    std::uint64_t high = words[2 * stride] | static_cast<std::uint64_t>(words[3 * stride]) << 32;
    State<Lanes> t;
    for (Lanes* block : {&t.x0, &t.x1, &t.x2, &t.x3}) {
      block->v = Isa::set_lanes(low, high);
      const std::uint64_t carry = high >> 63;
      high = high << 1 | low >> 63;
      low = low << 1 ^ (carry * 0x87);
    }
    transpose(t);
    return t;
  }
};

template <int n, class Isa>
VOLT_INLINE Lanes<Isa> shift_left(Lanes<Isa> w) {
  return {Isa::template shift_left32<n>(w.v)};
}

template <int n, class Isa>
VOLT_INLINE Lanes<Isa> shift_right(Lanes<Isa> w) {
  return {Isa::template shift_right32<n>(w.v)};
}

template <int n, class Isa>
VOLT_INLINE Lanes<Isa> rotate_left(Lanes<Isa> w) {
  return {Isa::template rotate_left32<n>(w.v)};
}

}  // namespace volt::serpent
