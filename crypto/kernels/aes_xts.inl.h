// AES-256-XTS over 512-byte data units, written once for every vector width.
//
// `Isa` is an instruction set with rounds of AES (isa/aesni.inl.h), whose vectors hold `bytes` / 16
// blocks. `Tweaks` is constructed from a unit's encrypted tweak T; next(i), called with i = 0, 1,
// ..., gives the vector of
//           T * alpha^(i * blocks), T * alpha^(i * blocks + 1), ...
// It is DoubledTweaks or UnitTweaks, below.
//
// What keeps the AES units busy:
//   - eight registers are in flight;
//   - the tweaks of eight units are encrypted side by side. Those of the next eight are taken two
//     rounds further with every unit, so no unit waits for its tweak;
//   - while a batch of eight registers goes through its rounds, the next batch's tweaks are
//     computed between them, on the execution ports that AES leaves idle.
//
// Internal linkage throughout: every kernel file has its own copy (see xts_kernel.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto/cipher_id.h"
#include "crypto/isa/words.inl.h"
#include "crypto/kernels/aes_schedule.inl.h"
#include "crypto/kernels/tweak_shifts.inl.h"

namespace volt {
namespace {

inline constexpr int xts_blocks_per_unit = unit_bytes / 16;
inline constexpr int xts_batch = 8;  // registers in flight
inline constexpr std::size_t xts_group_units = 8;

// Encrypted tweaks of a group of units.
struct alignas(64) TweakGroup {
  std::uint8_t bytes[xts_group_units][16];
};

// Tweaks of every block of a batch.
template <class Isa>
struct alignas(64) BatchTweaks {
  std::uint8_t bytes[xts_batch][Isa::bytes];
};

// The same pointer, but the compiler cannot know it. Without this it would load all round keys
// ahead of a loop and, lacking registers, keep a copy of them on the stack.
VOLT_INLINE const AesRoundKeys& fresh(const AesRoundKeys& keys) noexcept {
  const AesRoundKeys* pointer = &keys;
  __asm__ volatile("" : "+r"(pointer));
  return *pointer;
}

// By doubling, 32 times at most. The bits that the 31 doublings carry out of either half are the
// upper 31 bits of that half of T itself, since the reduction reaches only the low bits. So one
// shuffle brings them into place for the whole unit, and each step only shifts them up.
template <class Isa>
class DoubledTweaks {
 public:
  VOLT_INLINE explicit DoubledTweaks(const std::uint8_t* tweak) noexcept
      : tweak_(Isa::load(tweak)), carries_(Isa::template permute32<3, 3, 1, 1>(tweak_)) {}

  VOLT_INLINE typename Isa::V next(int i) noexcept {
    const auto result = tweak_;
    if (i + 1 < xts_blocks_per_unit) {
      const auto carry = Isa::bit_and(Isa::sign32(carries_), Isa::set_lanes(0x87, 1));
      carries_ = Isa::add32(carries_, carries_);
      tweak_ = Isa::bit_xor(Isa::add64(tweak_, tweak_), carry);
    }
    return result;
  }

 private:
  typename Isa::V tweak_;
  typename Isa::V carries_;
};

// Each vector straight from T.
template <class Isa>
class UnitTweaks {
 public:
  VOLT_INLINE explicit UnitTweaks(const std::uint8_t* tweak) noexcept : powers_(tweak) {}
  VOLT_INLINE typename Isa::V next(int i) const noexcept { return powers_.at(shifts, i); }

 private:
  static constexpr int blocks = Isa::bytes / 16;
  static constexpr TweakShifts<xts_blocks_per_unit / blocks, blocks> shifts{};

  ShiftedTweaks<Isa> powers_;
};

// Encryption of a group's unit numbers (IEEE 1619-2007, 5.3.2, step 1), in pieces.
template <class Isa>
class TweakEncryption {
 public:
  VOLT_INLINE void start(std::uint64_t first_unit, const std::uint8_t* key) noexcept {
    each([&](int i) VOLT_INLINE_BODY {
      const std::uint64_t unit = first_unit + static_cast<unsigned>(i * (Isa::bytes / 16));
      x_[i] = Isa::bit_xor(Isa::count_from(unit), Isa::broadcast16u(key));
    });
  }
  VOLT_INLINE void round(const std::uint8_t* key) noexcept {
    each([&](int i) VOLT_INLINE_BODY { x_[i] = Isa::aes_round(x_[i], Isa::broadcast16u(key)); });
  }
  VOLT_INLINE void last(const std::uint8_t* key) noexcept {
    each([&](int i)
             VOLT_INLINE_BODY { x_[i] = Isa::aes_last_round(x_[i], Isa::broadcast16u(key)); });
  }
  VOLT_INLINE void load(const TweakGroup& group) noexcept {
    each([&](int i) VOLT_INLINE_BODY { x_[i] = Isa::load(group.bytes[i * (Isa::bytes / 16)]); });
  }
  VOLT_INLINE void store(TweakGroup& group) const noexcept {
    each([&](int i) VOLT_INLINE_BODY { Isa::store(group.bytes[i * (Isa::bytes / 16)], x_[i]); });
  }

 private:
  static constexpr int registers = static_cast<int>(xts_group_units) * 16 / Isa::bytes;

  template <class Body>
  static VOLT_INLINE void each(const Body& body) noexcept {
    unroll<registers>(body);
  }

  typename Isa::V x_[registers];
};

// All rounds at once: the first group of a run.
template <class Isa>
VOLT_INLINE void encrypt_tweaks(const AesRoundKeys& keys, std::uint64_t first_unit,
                                TweakGroup& group) noexcept {
  TweakEncryption<Isa> encryption;
  encryption.start(first_unit, keys[0]);
  unroll<aes_rounds - 1>([&](int round) VOLT_INLINE_BODY { encryption.round(keys[round + 1]); });
  encryption.last(keys[aes_rounds]);
  encryption.store(group);
}

// Two rounds: with steps 0 to 6 the group is done; further steps do nothing.
template <class Isa>
VOLT_INLINE void encrypt_tweaks_by_steps(const AesRoundKeys& keys, std::uint64_t first_unit,
                                         std::size_t step, TweakGroup& group) noexcept {
  constexpr std::size_t last_step = aes_rounds / 2 - 1;
  static_assert(last_step < xts_group_units - 1);
  if (step > last_step) return;
  TweakEncryption<Isa> encryption;
  if (step == 0) {
    encryption.start(first_unit, keys[0]);
  } else {
    encryption.load(group);
  }
  encryption.round(keys[2 * step + 1]);
  if (step < last_step) {
    encryption.round(keys[2 * step + 2]);
  } else {
    encryption.last(keys[aes_rounds]);
  }
  encryption.store(group);
}

// Registers `first` .. `first` + 7 of the unit. Between the rounds, next_tweak(i) must give
// the next batch's tweaks.
template <class Isa, bool encrypting, class NextTweak>
VOLT_INLINE void crypt_batch(const AesRoundKeys& keys, const BatchTweaks<Isa>& tweaks,
                             BatchTweaks<Isa>& next_tweaks, const NextTweak& next_tweak,
                             const std::uint8_t* in, std::uint8_t* out) noexcept {
  constexpr int register_bytes = Isa::bytes;
  typename Isa::V x[xts_batch];
  auto key = Isa::broadcast16u(keys[0]);
  unroll<xts_batch>([&](int i) VOLT_INLINE_BODY {
    x[i] = Isa::xor3(Isa::load(tweaks.bytes[i]), key, Isa::load(in + i * register_bytes));
  });
  unroll<aes_rounds - 1>([&](int round) VOLT_INLINE_BODY {
    key = Isa::broadcast16u(keys[round + 1]);
    unroll<xts_batch>([&](int i) VOLT_INLINE_BODY {
      x[i] = encrypting ? Isa::aes_round(x[i], key) : Isa::aes_inverse_round(x[i], key);
    });
    if (round < xts_batch) {
      Isa::store(next_tweaks.bytes[round], next_tweak(round));
    }
    Isa::hold(x);
  });
  key = Isa::broadcast16u(keys[aes_rounds]);
  unroll<xts_batch>([&](int i) VOLT_INLINE_BODY {
    const auto last = Isa::bit_xor(key, Isa::load(tweaks.bytes[i]));
    Isa::store(out + i * register_bytes, encrypting ? Isa::aes_last_round(x[i], last)
                                                    : Isa::aes_last_inverse_round(x[i], last));
  });
}

// One unit whose first batch's tweaks are in `batches[side]`; leaves there (`side` being changed)
// the tweaks of the first batch of the unit after it, whose encrypted tweak is `next_unit_tweak`.
template <class Isa, class Tweaks, bool encrypting>
VOLT_INLINE void crypt_unit(const AesRoundKeys& keys, Tweaks& tweaks,
                            const std::uint8_t* next_unit_tweak, BatchTweaks<Isa> (&batches)[2],
                            unsigned& side, const std::uint8_t* in, std::uint8_t* out) noexcept {
  constexpr int batch_bytes = xts_batch * Isa::bytes;
  constexpr int count = static_cast<int>(unit_bytes) / batch_bytes;
  unroll<count>([&](int batch) VOLT_INLINE_BODY {
    const int next = (batch + 1) % count;
    if (next == 0) tweaks = Tweaks(next_unit_tweak);
    crypt_batch<Isa, encrypting>(
        fresh(keys), batches[side], batches[side ^ 1U],
        [&](int i) VOLT_INLINE_BODY { return tweaks.next(next * xts_batch + i); },
        in + batch * batch_bytes, out + batch * batch_bytes);
    side ^= 1U;
  });
}

// XtsKernel::encrypt_units and decrypt_units.
template <class Isa, class Tweaks, bool encrypting>
void crypt_units(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                 std::uint8_t* out, std::size_t units) {
  if (units == 0) return;
  const AesXtsSchedule& keys = *static_cast<const AesXtsSchedule*>(schedule);
  TweakGroup groups[2];  // this group's and the next's; what follows the last unit is not used
  groups[1] = TweakGroup{};
  encrypt_tweaks<Isa>(fresh(keys.tweak), first_unit, groups[0]);
  Tweaks tweaks(groups[0].bytes[0]);
  BatchTweaks<Isa> batches[2];
  unroll<xts_batch>([&](int i)
                        VOLT_INLINE_BODY { Isa::store(batches[0].bytes[i], tweaks.next(i)); });
  unsigned side = 0;
  for (std::size_t unit = 0; unit < units; ++unit) {
    const std::size_t group = unit / xts_group_units;
    const std::size_t next_group_unit = (group + 1) * xts_group_units;
    if (next_group_unit < units) {
      encrypt_tweaks_by_steps<Isa>(fresh(keys.tweak), first_unit + next_group_unit,
                                   unit % xts_group_units, groups[(group + 1) % 2]);
    }
    const TweakGroup& next = groups[(unit + 1) / xts_group_units % 2];
    crypt_unit<Isa, Tweaks, encrypting>(encrypting ? keys.encryption : keys.decryption, tweaks,
                                        next.bytes[(unit + 1) % xts_group_units], batches, side, in,
                                        out);
    in += unit_bytes;
    out += unit_bytes;
  }
}

}  // namespace
}  // namespace volt
