// Shift counts that take an XTS tweak T to T * alpha^k for every block of a unit at once.
// Internal linkage throughout: every kernel file has its own copy (see xts_kernel.h).
#pragma once

#include <cstdint>

#include "crypto/isa/words.inl.h"

namespace volt {
namespace {

// For register i of `blocks` blocks each: block j of it holds T * alpha^k, k = i * blocks + j.
//
// T = high * x^64 + low. With k < 32, T * x^k is (T << k) in 128 bits, plus the k bits that leave
// the top, times 0x87 (x^128 = x^7 + x^2 + x + 1; IEEE 1619-2007, 5.2). In halves of 64 bits:
//   high' = (high << k) + (low >> (64 - k))
//   low'  = (low << k) + (high >> (64 - k)) * 0x87
// so `left` shifts both halves of T, `right` both halves of T with its halves exchanged, and a
// carry-less product by 0x86 of the latter's low half makes the factor 1 into 0x87. A shift by 64
// gives 0, as for k = 0 it must.
template <int registers, int blocks>
struct TweakShifts {
  alignas(64) std::uint64_t left[registers][2 * blocks];
  alignas(64) std::uint64_t right[registers][2 * blocks];

  constexpr TweakShifts() noexcept : left(), right() {
    for (int i = 0; i < registers; ++i) {
      for (int half = 0; half < 2 * blocks; ++half) {
        const int k = i * blocks + half / 2;
        left[i][half] = static_cast<std::uint64_t>(k);
        right[i][half] = static_cast<std::uint64_t>(64 - k);
      }
    }
  }
};

// Registers of T * alpha^k, each straight from T, without a chain from one to the next.
template <class Isa>
class ShiftedTweaks {
 public:
  // `tweak`: T, 16 bytes at any address.
  VOLT_INLINE explicit ShiftedTweaks(const std::uint8_t* tweak) noexcept
      : tweak_(Isa::broadcast16u(tweak)),
        exchanged_(Isa::template permute32<2, 3, 0, 1>(tweak_)),
        reduction_(Isa::set64(0x86)) {}

  template <class Shifts>
  VOLT_INLINE typename Isa::V at(const Shifts& shifts, int i) const noexcept {
    const auto left = Isa::shift_left_each64(tweak_, Isa::load(shifts.left[i]));
    const auto right = Isa::shift_right_each64(exchanged_, Isa::load(shifts.right[i]));
    return Isa::xor3(left, right, Isa::carryless_low(right, reduction_));
  }

 private:
  typename Isa::V tweak_;
  typename Isa::V exchanged_;
  typename Isa::V reduction_;
};

}  // namespace
}  // namespace volt
