// AES-256-XTS over 512-byte data units, written once for every vector width.
//
// A kernel file supplies `Vector`, a struct of static functions over registers that hold
// `Vector::blocks` AES blocks:
//   Register, blocks
//   load, store, round_key (one key in every block), exclusive_or, exclusive_or3
//   encryption_round, encryption_last, decryption_round, decryption_last
//   unit_numbers(n): the blocks n, n + 1, ... as 16 little-endian bytes modulo 2^64
//   Tweaks: constructed from a unit's encrypted tweak T; next<i>(), called with i = 0, 1, ...,
//   gives
//           T * alpha^(i * blocks), T * alpha^(i * blocks + 1), ...
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
#include "crypto/kernels/aes_schedule.inl.h"
#include "crypto/kernels/unroll.inl.h"

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
template <class Vector>
struct alignas(64) BatchTweaks {
  std::uint8_t bytes[xts_batch][Vector::blocks * 16];
};

// The same pointer, but the compiler cannot know it. Without this it would load all round keys
// ahead of a loop and, lacking registers, keep a copy of them on the stack.
VOLT_ALWAYS_INLINE inline const AesRoundKeys& fresh(const AesRoundKeys& keys) noexcept {
  const AesRoundKeys* pointer = &keys;
  __asm__ volatile("" : "+r"(pointer));
  return *pointer;
}

// Keeps the compiler from moving one register's rounds together, which would leave the AES units
// idle for the latency of each. Emits nothing.
template <class Register>
VOLT_ALWAYS_INLINE inline void hold_in_step(Register (&x)[xts_batch]) noexcept {
  __asm__ volatile(""
                   : "+v"(x[0]), "+v"(x[1]), "+v"(x[2]), "+v"(x[3]), "+v"(x[4]), "+v"(x[5]),
                     "+v"(x[6]), "+v"(x[7]));
}

// Encryption of a group's unit numbers (IEEE 1619-2007, 5.3.2, step 1), in pieces.
template <class Vector>
class TweakEncryption {
 public:
  VOLT_ALWAYS_INLINE void start(std::uint64_t first_unit, const std::uint8_t* key) noexcept {
    each([&](int i) VOLT_ALWAYS_INLINE {
      const std::uint64_t unit = first_unit + static_cast<unsigned>(i * Vector::blocks);
      x_[i] = Vector::exclusive_or(Vector::unit_numbers(unit), Vector::round_key(key));
    });
  }
  VOLT_ALWAYS_INLINE void round(const std::uint8_t* key) noexcept {
    each([&](int i) VOLT_ALWAYS_INLINE {
      x_[i] = Vector::encryption_round(x_[i], Vector::round_key(key));
    });
  }
  VOLT_ALWAYS_INLINE void last(const std::uint8_t* key) noexcept {
    each([&](int i) VOLT_ALWAYS_INLINE {
      x_[i] = Vector::encryption_last(x_[i], Vector::round_key(key));
    });
  }
  VOLT_ALWAYS_INLINE void load(const TweakGroup& group) noexcept {
    each([&](int i) VOLT_ALWAYS_INLINE { x_[i] = Vector::load(group.bytes[i * Vector::blocks]); });
  }
  VOLT_ALWAYS_INLINE void store(TweakGroup& group) const noexcept {
    each([&](int i) VOLT_ALWAYS_INLINE { Vector::store(group.bytes[i * Vector::blocks], x_[i]); });
  }

 private:
  static constexpr int registers = static_cast<int>(xts_group_units) / Vector::blocks;

  template <class Body>
  VOLT_ALWAYS_INLINE static void each(const Body& body) noexcept {
    unroll<registers>(body);
  }

  typename Vector::Register x_[registers];
};

// All rounds at once: the first group of a run.
template <class Vector>
VOLT_ALWAYS_INLINE inline void encrypt_tweaks(const AesRoundKeys& keys, std::uint64_t first_unit,
                                              TweakGroup& group) noexcept {
  TweakEncryption<Vector> encryption;
  encryption.start(first_unit, keys[0]);
  unroll<aes_rounds - 1>([&](int round) VOLT_ALWAYS_INLINE { encryption.round(keys[round + 1]); });
  encryption.last(keys[aes_rounds]);
  encryption.store(group);
}

// Two rounds: with steps 0 to 6 the group is done; further steps do nothing.
template <class Vector>
VOLT_ALWAYS_INLINE inline void encrypt_tweaks_by_steps(const AesRoundKeys& keys,
                                                       std::uint64_t first_unit, std::size_t step,
                                                       TweakGroup& group) noexcept {
  constexpr std::size_t last_step = aes_rounds / 2 - 1;
  static_assert(last_step < xts_group_units - 1);
  if (step > last_step) return;
  TweakEncryption<Vector> encryption;
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
template <class Vector, bool encrypting, class NextTweak>
VOLT_ALWAYS_INLINE inline void crypt_batch(const AesRoundKeys& keys,
                                           const BatchTweaks<Vector>& tweaks,
                                           BatchTweaks<Vector>& next_tweaks,
                                           const NextTweak& next_tweak, const std::uint8_t* in,
                                           std::uint8_t* out) noexcept {
  constexpr int register_bytes = Vector::blocks * 16;
  typename Vector::Register x[xts_batch];
  auto key = Vector::round_key(keys[0]);
  unroll<xts_batch>([&](int i) VOLT_ALWAYS_INLINE {
    x[i] = Vector::exclusive_or3(Vector::load(tweaks.bytes[i]), key,
                                 Vector::load(in + i * register_bytes));
  });
  unroll<aes_rounds - 1>([&](int round) VOLT_ALWAYS_INLINE {
    key = Vector::round_key(keys[round + 1]);
    unroll<xts_batch>([&](int i) VOLT_ALWAYS_INLINE {
      x[i] = encrypting ? Vector::encryption_round(x[i], key) : Vector::decryption_round(x[i], key);
    });
    if (round < xts_batch) {
      Vector::store(next_tweaks.bytes[round], next_tweak(round));
    }
    hold_in_step(x);
  });
  key = Vector::round_key(keys[aes_rounds]);
  unroll<xts_batch>([&](int i) VOLT_ALWAYS_INLINE {
    const auto last = Vector::exclusive_or(key, Vector::load(tweaks.bytes[i]));
    Vector::store(out + i * register_bytes, encrypting ? Vector::encryption_last(x[i], last)
                                                       : Vector::decryption_last(x[i], last));
  });
}

// One unit whose first batch's tweaks are in `batches[side]`; leaves there (`side` being changed)
// the tweaks of the first batch of the unit after it, whose encrypted tweak is `next_unit_tweak`.
template <class Vector, bool encrypting>
VOLT_ALWAYS_INLINE inline void crypt_unit(const AesRoundKeys& keys, typename Vector::Tweaks& tweaks,
                                          const std::uint8_t* next_unit_tweak,
                                          BatchTweaks<Vector> (&batches)[2], unsigned& side,
                                          const std::uint8_t* in, std::uint8_t* out) noexcept {
  constexpr int batch_bytes = xts_batch * Vector::blocks * 16;
  constexpr int count = static_cast<int>(unit_bytes) / batch_bytes;
  unroll<count>([&](int batch) VOLT_ALWAYS_INLINE {
    const int next = (batch + 1) % count;
    if (next == 0) tweaks = typename Vector::Tweaks(next_unit_tweak);
    crypt_batch<Vector, encrypting>(
        fresh(keys), batches[side], batches[side ^ 1U],
        [&](int i) VOLT_ALWAYS_INLINE { return tweaks.next(next * xts_batch + i); },
        in + batch * batch_bytes, out + batch * batch_bytes);
    side ^= 1U;
  });
}

// XtsKernel::encrypt_units and decrypt_units.
template <class Vector, bool encrypting>
void crypt_units(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                 std::uint8_t* out, std::size_t units) {
  if (units == 0) return;
  const AesXtsSchedule& keys = *static_cast<const AesXtsSchedule*>(schedule);
  TweakGroup groups[2];  // this group's and the next's; what follows the last unit is not used
  groups[1] = TweakGroup{};
  encrypt_tweaks<Vector>(fresh(keys.tweak), first_unit, groups[0]);
  typename Vector::Tweaks tweaks(groups[0].bytes[0]);
  BatchTweaks<Vector> batches[2];
  unroll<xts_batch>([&](int i)
                        VOLT_ALWAYS_INLINE { Vector::store(batches[0].bytes[i], tweaks.next(i)); });
  unsigned side = 0;
  for (std::size_t unit = 0; unit < units; ++unit) {
    const std::size_t group = unit / xts_group_units;
    const std::size_t next_group_unit = (group + 1) * xts_group_units;
    if (next_group_unit < units) {
      encrypt_tweaks_by_steps<Vector>(fresh(keys.tweak), first_unit + next_group_unit,
                                      unit % xts_group_units, groups[(group + 1) % 2]);
    }
    const TweakGroup& next = groups[(unit + 1) / xts_group_units % 2];
    crypt_unit<Vector, encrypting>(encrypting ? keys.encryption : keys.decryption, tweaks,
                                   next.bytes[(unit + 1) % xts_group_units], batches, side, in,
                                   out);
    in += unit_bytes;
    out += unit_bytes;
  }
}

}  // namespace
}  // namespace volt
