// XTS over data units of 512 or 4096 bytes on the rounds of serpent_rounds.inl.h: whitening,
// transposition and cipher in one pass over the data. Included by each Serpent kernel file.
//
// A basic vector type W (one set of blocks) has besides: W::lanes, W::sets = 1,
// W::load(bytes), W::store(bytes, w), shift_right<n>(w), the unpacks within 128 bits
// low32, high32, low64, high64 (a, b), and W::alpha_powers(words, stride), the tweaks of a unit's
// first blocks (see alpha_powers_by_shifts).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "crypto/ciphers/serpent/serpent_rounds.inl.h"
#include "crypto/ciphers/serpent/serpent_schedule.h"
#include "crypto/isa/words.inl.h"
#include "crypto/modes/xts_kernel.h"

namespace volt::serpent {

// Sets of blocks side by side in registers: every operation is done for all of them before the
// next one, so that their dependency chains overlap.
template <class A, class B>
struct Join {
  using Base = typename A::Base;
  static constexpr int sets = A::sets + B::sets;
  static constexpr int lanes = A::lanes;
  static constexpr bool ternary = A::ternary;
  static constexpr int key_copies = A::key_copies;
  A a;
  B b;

  static VOLT_INLINE Base load_key(const std::uint32_t* key) { return Base::load_key(key); }
  friend VOLT_INLINE Join operator^(Join x, Join y) { return {x.a ^ y.a, x.b ^ y.b}; }
  friend VOLT_INLINE Join operator^(Join x, Base y) { return {x.a ^ y, x.b ^ y}; }
  friend VOLT_INLINE Join operator&(Join x, Join y) { return {x.a & y.a, x.b & y.b}; }
  friend VOLT_INLINE Join operator|(Join x, Join y) { return {x.a | y.a, x.b | y.b}; }
  friend VOLT_INLINE Join and_not(Join x, Join y) { return {and_not(x.a, y.a), and_not(x.b, y.b)}; }
  friend VOLT_INLINE Join xor3(Join x, Join y, Join z) {
    return {xor3(x.a, y.a, z.a), xor3(x.b, y.b, z.b)};
  }
  template <int table>
  static VOLT_INLINE Join lookup(Join x, Join y, Join z) {
    return {A::template lookup<table>(x.a, y.a, z.a), B::template lookup<table>(x.b, y.b, z.b)};
  }
};

template <int n, class A, class B>
VOLT_INLINE Join<A, B> rotate_left(Join<A, B> w) {
  return {rotate_left<n>(w.a), rotate_left<n>(w.b)};
}

template <int n, class A, class B>
VOLT_INLINE Join<A, B> shift_left(Join<A, B> w) {
  return {shift_left<n>(w.a), shift_left<n>(w.b)};
}

// The k-th set of a joined register.
template <int k, class W>
VOLT_INLINE typename W::Base& set_of(W& w) {
  if constexpr (W::sets == 1) {
    return w;
  } else if constexpr (k < decltype(w.a)::sets) {
    return set_of<k>(w.a);
  } else {
    return set_of<k - decltype(w.a)::sets>(w.b);
  }
}

// 4x4 words within each 128 bits: blocks in registers to words in registers, and back.
template <class W>
VOLT_INLINE void transpose(State<W>& s) {
  const W low01 = low32(s.x0, s.x1), high01 = high32(s.x0, s.x1);
  const W low23 = low32(s.x2, s.x3), high23 = high32(s.x2, s.x3);
  s = {low64(low01, low23), high64(low01, low23), low64(high01, high23), high64(high01, high23)};
}

template <class W>
VOLT_INLINE void add_state(State<W>& s, const State<W>& t) {
  s.x0 = s.x0 ^ t.x0;
  s.x1 = s.x1 ^ t.x1;
  s.x2 = s.x2 ^ t.x2;
  s.x3 = s.x3 ^ t.x3;
}

// c(x) * (x^7 + x^2 + x + 1): what leaves the 128-bit word at the top comes back at the bottom
// (IEEE 1619-2007, 5.2). `carry` has at most 25 bits.
template <class W>
VOLT_INLINE W reduced(W carry) {
  return xor3(carry, shift_left<1>(carry), shift_left<2>(carry)) ^ shift_left<7>(carry);
}

// Multiplies the tweak in every lane by alpha^n, n < 26.
template <int n, class W>
VOLT_INLINE State<W> times_alpha(const State<W>& t) {
  return {shift_left<n>(t.x0) ^ reduced(shift_right<32 - n>(t.x3)),
          shift_left<n>(t.x1) | shift_right<32 - n>(t.x0),
          shift_left<n>(t.x2) | shift_right<32 - n>(t.x1),
          shift_left<n>(t.x3) | shift_right<32 - n>(t.x2)};
}

// Lane i holds the block (i % 4) * (lanes / 4) + i / 4 of a set (see `transpose`).
template <int lanes>
constexpr int block_of_lane(int lane) {
  return (lane % 4) * (lanes / 4) + lane / 4;
}

// The block that each lane counts as, and its complement to 32.
template <int lanes>
struct LaneBlocks {
  alignas(64) std::uint32_t block[lanes];
  alignas(64) std::uint32_t rest[lanes];

  constexpr LaneBlocks() : block{}, rest{} {
    for (int lane = 0; lane < lanes; ++lane) {
      block[lane] = static_cast<std::uint32_t>(block_of_lane<lanes>(lane));
      rest[lane] = 32 - block[lane];
    }
  }
};
template <int lanes>
inline constexpr LaneBlocks<lanes> lane_blocks;

// The tweaks of a unit's first blocks, one a lane, for instruction sets that shift each lane by a
// count of its own. `words` has the encrypted unit number's four words, `stride` apart.
template <class W>
VOLT_INLINE State<W> alpha_powers_by_shifts(const std::uint32_t* words, int stride) {
  const W left = W::load(reinterpret_cast<const std::uint8_t*>(lane_blocks<W::lanes>.block));
  const W right = W::load(reinterpret_cast<const std::uint8_t*>(lane_blocks<W::lanes>.rest));
  const W t0 = W::broadcast(words[0]), t1 = W::broadcast(words[stride]);
  const W t2 = W::broadcast(words[2 * stride]), t3 = W::broadcast(words[3 * stride]);
  return {W::shift_left_each(t0, left) ^ reduced(W::shift_right_each(t3, right)),
          W::shift_left_each(t1, left) | W::shift_right_each(t0, right),
          W::shift_left_each(t2, left) | W::shift_right_each(t1, right),
          W::shift_left_each(t3, left) | W::shift_right_each(t2, right)};
}

// Encrypted unit numbers of a run of units: word w of unit u at words[w * batch + u].
template <int batch>
struct UnitTweaks {
  alignas(64) std::uint32_t words[4 * batch];

  UnitTweaks() = default;
  UnitTweaks(const UnitTweaks&) = delete;
  UnitTweaks& operator=(const UnitTweaks&) = delete;
  ~UnitTweaks() { wipe(words, sizeof words); }
};

template <class W, int batch, int... k>
VOLT_INLINE void encrypt_numbers(const std::uint32_t* keys, UnitTweaks<batch>& tweaks,
                                 std::integer_sequence<int, k...>) {
  using Base = typename W::Base;
  constexpr int bytes = Base::lanes * 4;
  auto* const at = reinterpret_cast<std::uint8_t*>(tweaks.words);
  State<W> s;
  ((set_of<k>(s.x0) = Base::load(at + k * bytes)), ...);
  ((set_of<k>(s.x1) = Base::load(at + (batch * 4 + k * bytes))), ...);
  ((set_of<k>(s.x2) = Base::zero()), ...);
  ((set_of<k>(s.x3) = Base::zero()), ...);
  encrypt_blocks(s, keys);
  (Base::store(at + k * bytes, set_of<k>(s.x0)), ...);
  (Base::store(at + (batch * 4 + k * bytes), set_of<k>(s.x1)), ...);
  (Base::store(at + (batch * 8 + k * bytes), set_of<k>(s.x2)), ...);
  (Base::store(at + (batch * 12 + k * bytes), set_of<k>(s.x3)), ...);
}

// Unit numbers from `first` on, all encrypted in one run of the cipher.
template <class W, int batch>
[[gnu::noinline]] void unit_tweaks(const std::uint32_t* keys, std::uint64_t first,
                                   UnitTweaks<batch>& tweaks) {
  for (int u = 0; u < W::sets * W::lanes; ++u) {
    const std::uint64_t number = first + static_cast<std::uint64_t>(u);
    tweaks.words[u] = static_cast<std::uint32_t>(number);
    tweaks.words[batch + u] = static_cast<std::uint32_t>(number >> 32);
  }
  encrypt_numbers<W>(keys, tweaks, std::make_integer_sequence<int, W::sets>());
}

// Where a pass stands: data, and the tweak of the next set.
template <class Base>
struct Position {
  const std::uint8_t* in;
  std::uint8_t* out;
  State<Base> tweak;
};

// Loads the k-th set of a pass, whitened; its whitening is kept for the way out.
template <int k, int batch, int unit_blocks, class W, class Base>
VOLT_INLINE void load_set(State<W>& s, State<Base>& whitening, Position<Base>& position,
                          const std::uint32_t* unit_words) {
  constexpr int set_bytes = Base::lanes * 16;
  constexpr int first_block = k * Base::lanes;
  if constexpr (k > 0) {
    if constexpr (first_block % unit_blocks == 0) {
      position.tweak = Base::alpha_powers(unit_words + first_block / unit_blocks, batch);
    } else {
      position.tweak = times_alpha<Base::lanes>(position.tweak);
    }
  }
  whitening = position.tweak;
  const std::uint8_t* in = position.in + k * set_bytes;
  State<Base> set = {Base::load(in), Base::load(in + set_bytes / 4), Base::load(in + set_bytes / 2),
                     Base::load(in + set_bytes / 4 * 3)};
  transpose(set);
  add_state(set, whitening);
  set_of<k>(s.x0) = set.x0;
  set_of<k>(s.x1) = set.x1;
  set_of<k>(s.x2) = set.x2;
  set_of<k>(s.x3) = set.x3;
}

template <int k, class W, class Base>
VOLT_INLINE void store_set(State<W>& s, const State<Base>& whitening, std::uint8_t* out) {
  constexpr int set_bytes = Base::lanes * 16;
  State<Base> set = {set_of<k>(s.x0), set_of<k>(s.x1), set_of<k>(s.x2), set_of<k>(s.x3)};
  add_state(set, whitening);
  transpose(set);
  out += k * set_bytes;
  Base::store(out, set.x0);
  Base::store(out + set_bytes / 4, set.x1);
  Base::store(out + set_bytes / 2, set.x2);
  Base::store(out + set_bytes / 4 * 3, set.x3);
}

// One pass: all sets of W, from load to store.
template <class W, bool encrypting, int batch, int unit_blocks, int... k>
VOLT_INLINE void crypt_pass(const std::uint32_t* keys, Position<typename W::Base>& position,
                            const std::uint32_t* unit_words, std::integer_sequence<int, k...>) {
  State<W> s;
  State<typename W::Base> whitening[W::sets];
  (load_set<k, batch, unit_blocks>(s, whitening[k], position, unit_words), ...);
  if constexpr (encrypting) {
    encrypt_blocks(s, keys);
  } else {
    decrypt_blocks(s, keys);
  }
  (store_set<k>(s, whitening[k], position.out), ...);
  constexpr int pass_bytes = W::sets * W::lanes * 16;
  position.in += pass_bytes;
  position.out += pass_bytes;
}

// Units of which a pass covers a whole number, or several passes one.
template <class W, bool encrypting, int batch, int unit_blocks>
VOLT_INLINE void crypt_run(const std::uint32_t* keys, Position<typename W::Base>& position,
                           const std::uint32_t* unit_words, std::size_t units) {
  using Base = typename W::Base;
  constexpr int pass_blocks = W::sets * W::lanes;
  constexpr std::size_t pass_units = pass_blocks > unit_blocks ? pass_blocks / unit_blocks : 1;
  constexpr int unit_passes = pass_blocks > unit_blocks ? 1 : unit_blocks / pass_blocks;
  for (std::size_t u = 0; u < units; u += pass_units) {
    position.tweak = Base::alpha_powers(unit_words + u, batch);
    for (int pass = 0; pass < unit_passes; ++pass) {
      if (pass > 0) position.tweak = times_alpha<Base::lanes>(position.tweak);
      crypt_pass<W, encrypting, batch, unit_blocks>(keys, position, unit_words + u,
                                                    std::make_integer_sequence<int, W::sets>());
    }
  }
}

// XtsKernel::UnitsFunction for units of so many blocks. W: the sets of a pass; Rest: sets for units
// that do not fill one; Many and Few: sets for encrypting unit numbers.
template <class W, class Rest, class Many, class Few, int unit_blocks, bool encrypting>
void crypt_units(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                 std::uint8_t* out, std::size_t units) {
  constexpr int batch = Many::sets * Many::lanes;
  constexpr std::size_t few = Few::sets * Few::lanes;
  constexpr int pass_blocks = W::sets * W::lanes;
  constexpr std::size_t pass_units = pass_blocks > unit_blocks ? pass_blocks / unit_blocks : 1;
  const auto& keys = *static_cast<const SerpentSchedule<W::key_copies>*>(schedule);
  const std::uint32_t* const data_keys = encrypting ? keys.encrypt : keys.decrypt;
  UnitTweaks<batch> tweaks;
  Position<typename W::Base> position{in, out, {}};
  while (units > 0) {
    const std::size_t count = units < batch ? units : batch;
    if (count <= few) {
      unit_tweaks<Few>(keys.tweak, first_unit, tweaks);
    } else {
      unit_tweaks<Many>(keys.tweak, first_unit, tweaks);
    }
    const std::size_t rest = count % pass_units;
    crypt_run<W, encrypting, batch, unit_blocks>(data_keys, position, tweaks.words, count - rest);
    if constexpr (pass_units > 1) {
      crypt_run<Rest, encrypting, batch, unit_blocks>(data_keys, position,
                                                      tweaks.words + (count - rest), rest);
    }
    first_unit += count;
    units -= count;
  }
}

// One row of the kernel table; `expand` makes the schedule that the sets' words want.
template <class W, class Rest, class Many, class Few>
constexpr XtsKernel row(const char* name, std::uint32_t features,
                        void (*expand)(const std::uint8_t*, const std::uint8_t*, void*)) {
  return {CipherId::serpent,
          name,
          features,
          true,
          sizeof(SerpentSchedule<W::key_copies>),
          expand,
          nullptr,
          {crypt_units<W, Rest, Many, Few, 32, true>, crypt_units<W, Rest, Many, Few, 32, false>},
          {crypt_units<W, Rest, Many, Few, 256, true>, crypt_units<W, Rest, Many, Few, 256, false>},
          nullptr};
}

}  // namespace volt::serpent
