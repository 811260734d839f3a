// Twofish-XTS over data units of 512 bytes on the byte-sliced rounds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto/kernels/twofish_rounds.inl.h"
#include "crypto/kernels/twofish_schedule.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt::twofish {

template <class Isa, class Boxes>
struct Xts {
  static constexpr std::size_t unit_size = 512;
  static constexpr std::size_t block_size = 16;
  static constexpr std::size_t set_size = block_size * Isa::bytes;
  // Tweaks that one set encrypts.
  static constexpr std::size_t batch_units = Isa::bytes;
  // Units whose masks are made together.
  static constexpr std::size_t group_units = Isa::mask_units;

  using Key = typename Boxes::Key;
  using Cipher = Rounds<Isa, Boxes>;

  struct Schedule {
    Key data;
    Key tweak;
  };

  static void wipe(void* data, std::size_t size) {
    __builtin_memset(data, 0, size);
    asm volatile("" : : "r"(data) : "memory");
  }

  static void expand_key(const std::uint8_t* bytes, Key& key) {
    TwofishKey expanded;
    expand_twofish_key(bytes, expanded);
    Boxes::lay_out(expanded, key);
    for (int i = 0; i < 40; ++i) key.subkey[i] = expanded.subkey[i];
    wipe(&expanded, sizeof expanded);
  }

  static void expand(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule) {
    Schedule& keys = *static_cast<Schedule*>(schedule);
    expand_key(data_key, keys.data);
    expand_key(tweak_key, keys.tweak);
  }

  // The encrypted tweaks of `count` units from `first_unit` on. Half a set is enough for small
  // requests, where this is most of what a unit costs beside its own blocks.
  [[gnu::noinline]] static void encrypt_tweaks(const Key& key, std::uint64_t first_unit,
                                               std::size_t count, std::uint8_t* tweaks) {
    alignas(64) static constexpr std::uint8_t no_masks[set_size] = {};
    for (std::size_t i = 0; i < batch_units; ++i) {
      const std::uint64_t block[2] = {first_unit + i, 0};
      __builtin_memcpy(tweaks + i * block_size, block, block_size);
    }
    if (count <= batch_units / 2) {
      Cipher::template crypt_sets<true, 1, 2>(key, no_masks, tweaks, tweaks);
    } else {
      Cipher::template crypt_sets<true, 1, 4>(key, no_masks, tweaks, tweaks);
    }
  }

  template <bool encrypting>
  static void crypt_group(const Key& key, const std::uint8_t* masks, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t units) {
    const std::size_t size = units * unit_size;
    std::size_t done = 0;
    for (; done + 2 * set_size <= size; done += 2 * set_size) {
      Cipher::template crypt_sets<encrypting, 2, 4>(key, masks + done, in + done, out + done);
    }
    if (done + set_size <= size) {
      Cipher::template crypt_sets<encrypting, 1, 4>(key, masks + done, in + done, out + done);
      done += set_size;
    }
    if constexpr (set_size > unit_size) {
      static_assert(set_size == 2 * unit_size);
      if (done < size) {
        Cipher::template crypt_sets<encrypting, 1, 2>(key, masks + done, in + done, out + done);
      }
    }
  }

  template <bool encrypting>
  static void crypt_units(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t units) {
    static_assert(batch_units % group_units == 0);
    const Schedule& keys = *static_cast<const Schedule*>(schedule);
    alignas(64) std::uint8_t tweaks[set_size];
    alignas(64) std::uint8_t masks[group_units * unit_size];
    for (std::size_t u = 0; u < units; u += group_units) {
      const std::size_t slot = u % batch_units;
      if (slot == 0) encrypt_tweaks(keys.tweak, first_unit + u, units - u, tweaks);
      Isa::make_masks(tweaks + slot * block_size, masks);
      const std::size_t count = units - u < group_units ? units - u : group_units;
      crypt_group<encrypting>(keys.data, masks, in, out, count);
      in += count * unit_size;
      out += count * unit_size;
    }
    wipe(tweaks, sizeof tweaks);
    wipe(masks, sizeof masks);
  }

  static constexpr XtsKernel row(const char* name, std::uint32_t features) {
    static_assert(sizeof(Schedule) <= max_schedule_bytes);
    return {CipherId::twofish, name,   features, true,
            sizeof(Schedule),  expand, nullptr,  crypt_units<true>,
            crypt_units<false>};
  }
};

}  // namespace volt::twofish
