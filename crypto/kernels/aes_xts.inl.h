// AES-256-XTS over 512-byte data units, written once for every vector width.
//
// A kernel file supplies `Vector`, a struct of static functions over registers that hold
// `Vector::blocks` AES blocks:
//   Register, blocks, batch (registers in flight; batch * blocks divides 32)
//   load, store, round_key (one key in every block), exclusive_or, exclusive_or3
//   encryption_round, encryption_last, decryption_round, decryption_last
//   unit_numbers(n): the blocks n, n + 1, ... as 16 little-endian bytes modulo 2^64
//   Tweaks: constructed from a unit's encrypted tweak T; next<i>(), called with i = 0, 1, ...,
//   gives
//           T * alpha^(i * blocks), T * alpha^(i * blocks + 1), ...
//
// What keeps the AES units busy:
//   - the tweaks of eight units are encrypted side by side, and those of the next eight before the
//     data of this eight, so that out-of-order execution fills the gaps of one with the other;
//   - a batch's tweaks come from T in registers, and nothing waits for the batch before it;
//   - tweak and round key are combined before the data arrives and before the last round.
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
inline constexpr std::size_t tweak_group_units = 8;

// Tweaks of one group of units, after encryption.
struct alignas(64) TweakGroup {
  std::uint8_t bytes[tweak_group_units][16];
};

// The same pointer, but the compiler cannot know it. Without this it would load all round keys
// ahead of a loop and, lacking registers, keep a copy of them on the stack.
VOLT_ALWAYS_INLINE inline const AesRoundKeys& fresh(const AesRoundKeys& keys) noexcept {
  const AesRoundKeys* pointer = &keys;
  __asm__ volatile("" : "+r"(pointer));
  return *pointer;
}

// Tweaks of units first_unit, first_unit + 1, ... (IEEE 1619-2007, 5.3.2, step 1).
template <class Vector>
__attribute__((noinline)) void encrypt_tweaks(const AesRoundKeys& keys, std::uint64_t first_unit,
                                              TweakGroup& out) noexcept {
  constexpr int registers = tweak_group_units / Vector::blocks;
  typename Vector::Register x[registers];
  auto key = Vector::round_key(keys[0]);
  unroll<registers>([&](auto i) VOLT_ALWAYS_INLINE {
    const auto number = Vector::unit_numbers(first_unit + std::uint64_t{i * Vector::blocks});
    x[i] = Vector::exclusive_or(number, key);
  });
  unroll<aes_rounds - 1>([&](auto round) VOLT_ALWAYS_INLINE {
    key = Vector::round_key(keys[round + 1]);
    unroll<registers>([&](auto i)
                          VOLT_ALWAYS_INLINE { x[i] = Vector::encryption_round(x[i], key); });
  });
  key = Vector::round_key(keys[aes_rounds]);
  unroll<registers>([&](auto i) VOLT_ALWAYS_INLINE {
    Vector::store(out.bytes[i * Vector::blocks], Vector::encryption_last(x[i], key));
  });
}

// Registers first .. first + Vector::batch - 1 of a unit. `in` and `out` are the unit's start.
template <class Vector, bool encrypting, int first>
VOLT_ALWAYS_INLINE inline void crypt_batch(const AesRoundKeys& keys,
                                           typename Vector::Tweaks& tweaks, const std::uint8_t* in,
                                           std::uint8_t* out) noexcept {
  constexpr int register_bytes = Vector::blocks * 16;
  typename Vector::Register x[Vector::batch];
  typename Vector::Register tweak[Vector::batch];
  auto key = Vector::round_key(keys[0]);
  unroll<Vector::batch>([&](auto i) VOLT_ALWAYS_INLINE {
    constexpr int index = first + decltype(i)::value;
    tweak[i] = tweaks.template next<index>();
    x[i] = Vector::exclusive_or3(tweak[i], key, Vector::load(in + index * register_bytes));
  });
  unroll<aes_rounds - 1>([&](auto round) VOLT_ALWAYS_INLINE {
    key = Vector::round_key(keys[round + 1]);
    unroll<Vector::batch>([&](auto i) VOLT_ALWAYS_INLINE {
      x[i] = encrypting ? Vector::encryption_round(x[i], key) : Vector::decryption_round(x[i], key);
    });
  });
  key = Vector::round_key(keys[aes_rounds]);
  unroll<Vector::batch>([&](auto i) VOLT_ALWAYS_INLINE {
    const auto last = Vector::exclusive_or(tweak[i], key);
    Vector::store(out + (first + i) * register_bytes, encrypting
                                                          ? Vector::encryption_last(x[i], last)
                                                          : Vector::decryption_last(x[i], last));
  });
}

template <class Vector, bool encrypting>
__attribute__((noinline)) void crypt_group(const AesRoundKeys& keys, const TweakGroup& group,
                                           const std::uint8_t* in, std::uint8_t* out,
                                           std::size_t units) noexcept {
  constexpr int batch_blocks = Vector::batch * Vector::blocks;
  static_assert(xts_blocks_per_unit % batch_blocks == 0);
  for (std::size_t unit = 0; unit < units; ++unit) {
    typename Vector::Tweaks tweaks(group.bytes[unit]);
    unroll<xts_blocks_per_unit / batch_blocks>([&](auto batch) VOLT_ALWAYS_INLINE {
      constexpr int first = decltype(batch)::value * Vector::batch;
      crypt_batch<Vector, encrypting, first>(fresh(keys), tweaks, in, out);
    });
    in += unit_bytes;
    out += unit_bytes;
  }
}

template <class Vector, bool encrypting>
void crypt_units(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                 std::uint8_t* out, std::size_t units) {
  if (units == 0) return;
  const AesXtsSchedule& keys = *static_cast<const AesXtsSchedule*>(schedule);
  const AesRoundKeys& data_keys = encrypting ? keys.encryption : keys.decryption;
  TweakGroup groups[2];
  encrypt_tweaks<Vector>(keys.tweak, first_unit, groups[0]);
  for (unsigned side = 0;; side ^= 1U) {
    if (units <= tweak_group_units) {
      crypt_group<Vector, encrypting>(data_keys, groups[side], in, out, units);
      return;
    }
    first_unit += tweak_group_units;
    encrypt_tweaks<Vector>(keys.tweak, first_unit, groups[side ^ 1U]);
    crypt_group<Vector, encrypting>(data_keys, groups[side], in, out, tweak_group_units);
    units -= tweak_group_units;
    in += tweak_group_units * unit_bytes;
    out += tweak_group_units * unit_bytes;
  }
}

}  // namespace
}  // namespace volt
