// AES-XTS over data units of 512 and of 4096 bytes, written once for every vector width and for
// both key sizes (10 rounds for AES-128, 14 for AES-256).
//
// `Isa` is an instruction set with rounds of AES (isa/aesni.inl.h), whose vectors hold `bytes` / 16
// blocks. `Tweaks` is constructed from a unit's encrypted tweak T; next(i), called with i = 0, 1,
// ..., gives the vector of
//           T * alpha^(i * blocks), T * alpha^(i * blocks + 1), ...
// In a unit of 4096 bytes the tweaks go on from there: advance(), after 32 blocks' tweaks, takes T
// to T * alpha^32, or following(register) gives a batch's register from that of the batch before.
// It is DoubledTweaks or UnitTweaks, below.
//
// What keeps the AES units busy:
//   - eight registers are in flight, a batch;
//   - the tweaks of eight units are encrypted side by side. Those of the next eight are taken two
//     rounds further with every unit, so no unit waits for its tweak;
//   - of a unit of 4096 bytes only the first tweak is encrypted, a unit before it is wanted;
//   - while a batch goes through its rounds, the next batch's tweaks are computed between them, on
//     the execution ports that AES leaves idle.
//
// Internal linkage throughout: every kernel file has its own copy (see modes/xts_kernel.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto/ciphers/aes/aes_schedule.inl.h"
#include "crypto/ciphers/cipher_id.h"
#include "crypto/isa/words.inl.h"
#include "crypto/modes/tweak_shifts.inl.h"
#include "crypto/modes/xts_kernel.h"

namespace volt {
namespace {

inline constexpr int xts_slice_bytes = 512;
inline constexpr int xts_blocks_per_slice = xts_slice_bytes / 16;
inline constexpr int xts_slices4096 = 4096 / xts_slice_bytes;
inline constexpr int xts_batch = 8;  // registers in flight
inline constexpr std::size_t xts_group_units = 8;

// Encrypted tweaks of a group of units.
struct alignas(64) TweakGroup {
  std::uint8_t bytes[xts_group_units][16];
};

// Tweaks of every block of a batch of `width` registers.
template <class Isa, int width = xts_batch>
struct alignas(64) BatchTweaks {
  std::uint8_t bytes[width][Isa::bytes];
};

// The same pointer, but the compiler cannot know it. Without this it would load all round keys
// ahead of a loop and, lacking registers, keep a copy of them on the stack.
template <class RoundKeys>
VOLT_INLINE const RoundKeys& fresh(const RoundKeys& keys) noexcept {
  const RoundKeys* pointer = &keys;
  __asm__ volatile("" : "+r"(pointer));
  return *pointer;
}

// By doubling, 32 times at most. The bits that 32 doublings carry out of either half are the upper
// 32 bits of that half of T itself, since the reduction reaches only the low bits. So one shuffle
// brings them into place for 32 blocks, and each step only shifts them up.
template <class Isa>
class DoubledTweaks {
 public:
  static constexpr int width = xts_batch;

  VOLT_INLINE explicit DoubledTweaks(const std::uint8_t* tweak) noexcept
      : tweak_(Isa::load(tweak)), carries_(Isa::template permute32<3, 3, 1, 1>(tweak_)) {}

  VOLT_INLINE typename Isa::V next(int i) noexcept {
    const auto result = tweak_;
    if (i + 1 < xts_blocks_per_slice) {
      double_tweak();
      carries_ = Isa::add32(carries_, carries_);
    }
    return result;
  }
  VOLT_INLINE void advance() noexcept {
    double_tweak();
    carries_ = Isa::template permute32<3, 3, 1, 1>(tweak_);
  }

 private:
  VOLT_INLINE void double_tweak() noexcept {
    const auto carry = Isa::bit_and(Isa::sign32(carries_), Isa::set_lanes(0x87, 1));
    tweak_ = Isa::bit_xor(Isa::add64(tweak_, tweak_), carry);
  }

  typename Isa::V tweak_;
  typename Isa::V carries_;
};

// Each vector straight from T.
template <class Isa, int registers = xts_batch>
class UnitTweaks {
 public:
  static constexpr int width = registers;  // of a batch

  VOLT_INLINE explicit UnitTweaks(const std::uint8_t* tweak) noexcept : powers_(tweak) {}
  VOLT_INLINE typename Isa::V next(int i) const noexcept { return powers_.at(shifts, i); }
  // A register of a batch from the same register of the batch before: times alpha^(width * blocks),
  // which moves the number up by whole bytes. What leaves it at the top comes back times 0x87.
  static VOLT_INLINE typename Isa::V following(typename Isa::V before) noexcept {
    constexpr int moved = registers * blocks / 8;
    const auto carry = Isa::template shift_lanes_right<16 - moved>(before);
    return Isa::bit_xor(Isa::template shift_lanes_left<moved>(before),
                        Isa::carryless_low(carry, Isa::set64(0x87)));
  }

 private:
  static constexpr int blocks = Isa::bytes / 16;
  // Of 512 bytes, or of a batch where that is more.
  static constexpr int shifted = registers * blocks > 32 ? registers : 32 / blocks;
  static constexpr TweakShifts<shifted, blocks> shifts{};

  ShiftedTweaks<Isa> powers_;
};

// Encryption of unit numbers (IEEE 1619-2007, 5.3.2, step 1), in pieces: as many as `registers`
// hold.
template <class Isa, int registers>
class TweakEncryption {
 public:
  VOLT_INLINE void start(std::uint64_t first_unit, const std::uint8_t* key) noexcept {
    each([&](int i) VOLT_INLINE_BODY {
      const std::uint64_t unit = first_unit + static_cast<unsigned>(i * (Isa::bytes / 16));
      x_[i] = Isa::aes_start(Isa::count_from(unit), Isa::broadcast16u(key));
    });
  }
  // A round with its key, which keys[0] is before.
  VOLT_INLINE void round(const std::uint8_t (*keys)[16]) noexcept {
    const auto before = Isa::broadcast16u(keys[0]);
    const auto key = Isa::broadcast16u(keys[1]);
    each([&](int i) VOLT_INLINE_BODY { x_[i] = Isa::aes_round(x_[i], before, key); });
  }
  VOLT_INLINE void last(const std::uint8_t (*keys)[16]) noexcept {
    const auto before = Isa::broadcast16u(keys[0]);
    const auto key = Isa::broadcast16u(keys[1]);
    each([&](int i) VOLT_INLINE_BODY { x_[i] = Isa::aes_last_round(x_[i], before, key); });
  }
  VOLT_INLINE void load(const std::uint8_t (*tweaks)[16]) noexcept {
    each([&](int i) VOLT_INLINE_BODY { x_[i] = Isa::load(tweaks[i * (Isa::bytes / 16)]); });
  }
  VOLT_INLINE void store(std::uint8_t (*tweaks)[16]) const noexcept {
    each([&](int i) VOLT_INLINE_BODY { Isa::store(tweaks[i * (Isa::bytes / 16)], x_[i]); });
  }

 private:
  template <class Body>
  static VOLT_INLINE void each(const Body& body) noexcept {
    unroll<registers>(body);
  }

  typename Isa::V x_[registers];
};

template <class Isa>
inline constexpr int group_registers = static_cast<int>(xts_group_units) * 16 / Isa::bytes;

// All rounds at once: the first group of a run.
template <class Isa, int registers, int rounds>
VOLT_INLINE void encrypt_tweaks(const std::uint8_t (&keys)[rounds][16], std::uint64_t first_unit,
                                std::uint8_t (*tweaks)[16]) noexcept {
  TweakEncryption<Isa, registers> encryption;
  encryption.start(first_unit, keys[0]);
  unroll<rounds - 2>([&](int round) VOLT_INLINE_BODY { encryption.round(keys + round); });
  encryption.last(keys + (rounds - 2));
  encryption.store(tweaks);
}

// Two rounds: with steps 0 to rounds / 2 - 1 the group is done; further steps do nothing.
template <class Isa, int rounds>
VOLT_INLINE void encrypt_tweaks_by_steps(const AesRoundKeys<rounds>& keys, std::uint64_t first_unit,
                                         std::size_t step, TweakGroup& group) noexcept {
  constexpr std::size_t last_step = rounds / 2 - 1;
  static_assert(last_step < xts_group_units - 1);
  if (step > last_step) return;
  TweakEncryption<Isa, group_registers<Isa>> encryption;
  if (step == 0) {
    encryption.start(first_unit, keys[0]);
  } else {
    encryption.load(group.bytes);
  }
  encryption.round(keys + 2 * step);
  if (step < last_step) {
    encryption.round(keys + (2 * step + 1));
  } else {
    encryption.last(keys + (rounds - 1));
  }
  encryption.store(group.bytes);
}

// The registers of a batch. Between the rounds, next_tweak(i) must give the next batch's tweaks.
template <class Isa, int rounds, bool encrypting, int width, class NextTweak>
VOLT_INLINE void crypt_batch(const AesRoundKeys<rounds>& keys,
                             const BatchTweaks<Isa, width>& tweaks,
                             BatchTweaks<Isa, width>& next_tweaks, const NextTweak& next_tweak,
                             const std::uint8_t* in, std::uint8_t* out) noexcept {
  constexpr int tweaks_a_round = width / xts_batch;
  typename Isa::V x[width];
  auto before = Isa::broadcast16u(keys[0]);
  unroll<width>([&](int i) VOLT_INLINE_BODY {
    x[i] = Isa::aes_start(Isa::load(in + i * Isa::bytes), Isa::load(tweaks.bytes[i]), before);
  });
  unroll<rounds - 1>([&](int round) VOLT_INLINE_BODY {
    const auto key = Isa::broadcast16u(keys[round + 1]);
    unroll<width>([&](int i) VOLT_INLINE_BODY {
      x[i] = encrypting ? Isa::aes_round(x[i], before, key)
                        : Isa::aes_inverse_round(x[i], before, key);
    });
    before = key;
    if (round < xts_batch) {
      unroll<tweaks_a_round>([&](int part) VOLT_INLINE_BODY {
        const int i = round * tweaks_a_round + part;
        Isa::store(next_tweaks.bytes[i], next_tweak(i));
      });
    }
    Isa::hold(x);
  });
  const auto key = Isa::broadcast16u(keys[rounds]);
  unroll<width>([&](int i) VOLT_INLINE_BODY {
    const auto last = Isa::bit_xor(key, Isa::load(tweaks.bytes[i]));
    Isa::store(out + i * Isa::bytes, encrypting ? Isa::aes_last_round(x[i], before, last)
                                                : Isa::aes_last_inverse_round(x[i], before, last));
  });
}

// 512 bytes whose first batch's tweaks are in `batches[side]`; leaves there (`side` being changed)
// the tweaks of the first batch of the slice after it, to which move_on() takes `tweaks`.
template <class Isa, int rounds, bool encrypting, class Tweaks, class MoveOn>
VOLT_INLINE void crypt_slice(const AesRoundKeys<rounds>& keys, Tweaks& tweaks,
                             const MoveOn& move_on, BatchTweaks<Isa> (&batches)[2], unsigned& side,
                             const std::uint8_t* in, std::uint8_t* out) noexcept {
  constexpr int batch_bytes = xts_batch * Isa::bytes;
  constexpr int count = xts_slice_bytes / batch_bytes;
  unroll<count>([&](int batch) VOLT_INLINE_BODY {
    const int next = (batch + 1) % count;
    if (next == 0) move_on();
    crypt_batch<Isa, rounds, encrypting>(
        fresh(keys), batches[side], batches[side ^ 1U],
        [&](int i) VOLT_INLINE_BODY { return tweaks.next(next * xts_batch + i); },
        in + batch * batch_bytes, out + batch * batch_bytes);
    side ^= 1U;
  });
}

// The tweaks of a run's first batch.
template <class Isa, int width, class Tweaks>
VOLT_INLINE void start_batches(Tweaks& tweaks, BatchTweaks<Isa, width>& batch) noexcept {
  unroll<width>([&](int i) VOLT_INLINE_BODY { Isa::store(batch.bytes[i], tweaks.next(i)); });
}

// Units of 512 bytes: XtsKernel::UnitsFunction.
template <class Isa, class Tweaks, int rounds, bool encrypting>
void crypt_units512(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                    std::uint8_t* out, std::size_t units) {
  if (units == 0) return;
  const auto& keys = *static_cast<const AesXtsSchedule<rounds>*>(schedule);
  TweakGroup groups[2];  // this group's and the next's; what follows the last unit is not used
  groups[1] = TweakGroup{};
  encrypt_tweaks<Isa, group_registers<Isa>>(fresh(keys.tweak), first_unit, groups[0].bytes);
  Tweaks tweaks(groups[0].bytes[0]);
  BatchTweaks<Isa> batches[2];
  start_batches(tweaks, batches[0]);
  unsigned side = 0;
  for (std::size_t unit = 0; unit < units; ++unit) {
    const std::size_t group = unit / xts_group_units;
    const std::size_t next_group_unit = (group + 1) * xts_group_units;
    if (next_group_unit < units) {
      encrypt_tweaks_by_steps<Isa, rounds>(fresh(keys.tweak), first_unit + next_group_unit,
                                           unit % xts_group_units, groups[(group + 1) % 2]);
    }
    const TweakGroup& next = groups[(unit + 1) / xts_group_units % 2];
    const std::uint8_t* next_tweak = next.bytes[(unit + 1) % xts_group_units];
    crypt_slice<Isa, rounds, encrypting>(
        encrypting ? keys.encryption : keys.decryption, tweaks,
        [&]() VOLT_INLINE_BODY { tweaks = Tweaks(next_tweak); }, batches, side, in, out);
    in += xts_slice_bytes;
    out += xts_slice_bytes;
  }
}

// The 4096 bytes of a unit, the tweaks of whose first batch are in `batches[0]`; leaves there those
// of the next unit's first batch, from its encrypted tweak.
template <class Isa, class Tweaks, int rounds, bool encrypting>
requires requires {
  Tweaks::following(Isa::zero());
}
VOLT_INLINE void crypt_unit4096(const AesRoundKeys<rounds>& keys, Tweaks& tweaks,
                                const std::uint8_t* next_tweak,
                                BatchTweaks<Isa, Tweaks::width> (&batches)[2],
                                const std::uint8_t* in, std::uint8_t* out) noexcept {
  constexpr int batch_bytes = Tweaks::width * Isa::bytes;
  const auto crypt = [&](int side, const auto& next) VOLT_INLINE_BODY {
    crypt_batch<Isa, rounds, encrypting>(fresh(keys), batches[side], batches[side ^ 1], next, in,
                                         out);
    in += batch_bytes;
    out += batch_bytes;
  };
  const auto follow = [&](int side) VOLT_INLINE_BODY {
    crypt(side, [&](int i) VOLT_INLINE_BODY {
      return Tweaks::following(Isa::load(batches[side].bytes[i]));
    });
  };
  for (int pair = 1; pair < 4096 / batch_bytes / 2; ++pair) {
    follow(0);
    follow(1);
  }
  follow(0);
  tweaks = Tweaks(next_tweak);
  crypt(1, [&](int i) VOLT_INLINE_BODY { return tweaks.next(i); });
}

// The same where each tweak comes from the one before.
template <class Isa, class Tweaks, int rounds, bool encrypting>
requires requires(Tweaks tweaks) {
  tweaks.advance();
}
VOLT_INLINE void crypt_unit4096(const AesRoundKeys<rounds>& keys, Tweaks& tweaks,
                                const std::uint8_t* next_tweak, BatchTweaks<Isa> (&batches)[2],
                                const std::uint8_t* in, std::uint8_t* out) noexcept {
  unsigned side = 0;
  for (int slice = 1; slice <= xts_slices4096; ++slice) {
    const auto move_on = [&]() VOLT_INLINE_BODY {
      if (slice < xts_slices4096) {
        tweaks.advance();
      } else {
        tweaks = Tweaks(next_tweak);
      }
    };
    crypt_slice<Isa, rounds, encrypting>(keys, tweaks, move_on, batches, side, in, out);
    in += xts_slice_bytes;
    out += xts_slice_bytes;
  }
}

// The same as crypt_units512 for units of 4096 bytes. One register's unit numbers are encrypted at
// a time, a unit before the first of them is wanted.
template <class Isa, class Tweaks, int rounds, bool encrypting>
void crypt_units4096(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                     std::uint8_t* out, std::size_t units) {
  if (units == 0) return;
  constexpr std::size_t lanes = Isa::bytes / 16;
  const auto& keys = *static_cast<const AesXtsSchedule<rounds>*>(schedule);
  alignas(64) std::uint8_t numbers[lanes][16];
  encrypt_tweaks<Isa, 1>(fresh(keys.tweak), first_unit, numbers);
  Tweaks tweaks(numbers[0]);
  BatchTweaks<Isa, Tweaks::width> batches[2];
  start_batches(tweaks, batches[0]);
  for (std::size_t unit = 1; unit <= units; ++unit, in += 4096, out += 4096) {
    if (unit % lanes == 0 && unit < units) {
      encrypt_tweaks<Isa, 1>(fresh(keys.tweak), first_unit + unit, numbers);
    }
    crypt_unit4096<Isa, Tweaks, rounds, encrypting>(encrypting ? keys.encryption : keys.decryption,
                                                    tweaks, numbers[unit % lanes], batches, in,
                                                    out);
  }
}

// One row of the kernel table; each size of units has tweaks of its own. `Expander` has single
// blocks in its vectors.
template <class Isa, class Tweaks512, class Tweaks4096, class Expander, int rounds>
constexpr XtsKernel aes_row(const char* name) {
  return {
      rounds == aes128_rounds ? CipherId::aes128 : CipherId::aes,
      name,
      Isa::features | Expander::features,
      true,
      sizeof(AesXtsSchedule<rounds>),
      expand_aes_xts<Expander, rounds>,
      nullptr,
      {crypt_units512<Isa, Tweaks512, rounds, true>, crypt_units512<Isa, Tweaks512, rounds, false>},
      {crypt_units4096<Isa, Tweaks4096, rounds, true>,
       crypt_units4096<Isa, Tweaks4096, rounds, false>},
      nullptr};
}

}  // namespace
}  // namespace volt
