// Whitening masks of data units of 512 bytes: each unit's encrypted tweak T times alpha^0, alpha^1,
// ... for its 32 blocks (IEEE 1619-2007, 5.2). Larger units are slices of 512 bytes.
// Internal linkage throughout: every kernel file has its own copy (see xts_kernel.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto/isa/words.inl.h"
#include "crypto/modes/tweak_shifts.inl.h"

namespace volt {
namespace {

// The number in every 128-bit lane times alpha.
template <class Isa>
VOLT_INLINE typename Isa::V times_alpha(typename Isa::V tweak) {
  const auto carry = Isa::sign32(Isa::template permute32<3, 0, 1, 0>(tweak));
  const auto reduction = Isa::set_lanes(0x87, 1);
  return Isa::bit_xor(Isa::add64(tweak, tweak), Isa::bit_and(carry, reduction));
}

// By doubling. Four chains side by side hide one another's latency.
template <class Isa>
struct UnitMasks {
  static constexpr int lanes = Isa::bytes / 16;
  static constexpr int units = 4 * lanes;  // whose masks are made together

  static void make(const std::uint8_t* tweaks, std::uint8_t* masks) {
    typename Isa::V tweak[4];
    for (int c = 0; c < 4; ++c) tweak[c] = Isa::load(tweaks + c * Isa::bytes);
    for (int offset = 0; offset < 512; offset += 16) {
      for (int c = 0; c < 4; ++c) {
        for_constants<lanes>([&](auto lane) VOLT_INLINE_BODY {
          std::uint8_t* unit = masks + (lanes * c + lane) * 512;
          Isa::template store_lane<decltype(lane)::value>(unit + offset, tweak[c]);
        });
        tweak[c] = times_alpha<Isa>(tweak[c]);
      }
    }
  }
};

// By shifts and a carry-less product, for instruction sets with Isa::features_carryless: each
// vector straight from T.
template <class Isa>
requires requires {
  Isa::features_carryless;
}
struct UnitMasks<Isa> {
  static constexpr int units = 4;
  static constexpr int lanes = Isa::bytes / 16;
  static constexpr TweakShifts<32 / lanes, lanes> shifts{};

  static void make(const std::uint8_t* tweaks, std::uint8_t* masks) {
    for (int unit = 0; unit < units; ++unit, masks += 512) {
      const ShiftedTweaks<Isa> powers(tweaks + 16 * unit);
      for (int i = 0; i < 32 / lanes; ++i) Isa::store(masks + i * Isa::bytes, powers.at(shifts, i));
    }
  }
};

inline constexpr std::size_t unit_slices = 8;  // of a unit of 4096 bytes

// The tweaks of a unit's slices: T * alpha^0, T * alpha^32, ... What leaves the 128-bit number at
// the top comes back times x^7 + x^2 + x + 1.
inline void make_slice_tweaks(const std::uint8_t* tweak, std::uint8_t* slices) {
  std::uint64_t half[2];
  __builtin_memcpy(half, tweak, sizeof half);
  for (std::size_t i = 0; i < unit_slices; ++i) {
    __builtin_memcpy(slices + i * sizeof half, half, sizeof half);
    const std::uint64_t carry = half[1] >> 32;
    half[1] = half[1] << 32 | half[0] >> 32;
    half[0] = half[0] << 32 ^ carry ^ carry << 1 ^ carry << 2 ^ carry << 7;
  }
}

}  // namespace
}  // namespace volt
