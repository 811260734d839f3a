// XTS over data units of 512 or 4096 bytes for ciphers that work on a set of blocks at once, one
// register for each byte position (see byteslice.inl.h).
//
// `Isa` is an instruction set (isa/avx2.inl.h); a set has as many blocks as its vectors have bytes.
//
// `Cipher` has an id, a Key, expand_key(bytes, key) and crypt_sets<encrypting, sets, quarters>(key,
// masks, in, out), which XORs masks onto so many sets, runs the cipher and XORs the masks again;
// of a single set only the first quarters may be there. most_sets is 1 or 2; cheaper_halves tells
// whether half a set takes less time than a whole one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto/isa/words.inl.h"
#include "crypto/modes/unit_masks.inl.h"
#include "crypto/modes/xts_kernel.h"

namespace volt::byteslice {

template <class Isa, class Cipher>
struct Xts {
  using Key = typename Cipher::Key;
  using Masks = UnitMasks<Isa>;
  static constexpr std::size_t slice_size = 512;  // what masks are made for
  static constexpr std::size_t block_size = 16;
  static constexpr std::size_t set_size = block_size * Isa::bytes;
  static constexpr std::size_t batch_units = Isa::bytes;  // unit numbers encrypted in one run
  static constexpr std::size_t group_units = Masks::units;
  static_assert(batch_units % group_units == 0);

  struct Schedule {
    Key data;
    Key tweak;
  };

  static void expand(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule) {
    auto& keys = *static_cast<Schedule*>(schedule);
    Cipher::expand_key(data_key, keys.data);
    Cipher::expand_key(tweak_key, keys.tweak);
  }

  // The encrypted numbers of `count` units from `first_unit` on, or of a whole batch. For small
  // requests this is most of what a unit costs beside its own blocks.
  [[gnu::noinline]] static void encrypt_numbers(const Key& key, std::uint64_t first_unit,
                                                std::size_t count, std::uint8_t* tweaks) {
    alignas(64) static constexpr std::uint8_t no_masks[set_size] = {};
    for (std::size_t i = 0; i < batch_units; ++i) {
      const std::uint64_t block[2] = {first_unit + i, 0};
      __builtin_memcpy(tweaks + i * block_size, block, block_size);
    }
    if constexpr (Cipher::cheaper_halves) {
      if (count <= batch_units / 2) {
        return Cipher::template crypt_sets<true, 1, 2>(key, no_masks, tweaks, tweaks);
      }
    }
    Cipher::template crypt_sets<true, 1, 4>(key, no_masks, tweaks, tweaks);
  }

  template <bool encrypting>
  static void crypt_group(const Key& key, const std::uint8_t* masks, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t slices) {
    const std::size_t size = slices * slice_size;
    std::size_t done = 0;
    if constexpr (Cipher::most_sets == 2) {
      for (; done + 2 * set_size <= size; done += 2 * set_size) {
        Cipher::template crypt_sets<encrypting, 2, 4>(key, masks + done, in + done, out + done);
      }
    }
    for (; done + set_size <= size; done += set_size) {
      Cipher::template crypt_sets<encrypting, 1, 4>(key, masks + done, in + done, out + done);
    }
    if constexpr (set_size > slice_size) {
      static_assert(set_size == 2 * slice_size);
      if (done < size) {
        Cipher::template crypt_sets<encrypting, 1, 2>(key, masks + done, in + done, out + done);
      }
    }
  }

  template <bool encrypting>
  static void crypt_units512(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                             std::uint8_t* out, std::size_t units) {
    const auto& keys = *static_cast<const Schedule*>(schedule);
    alignas(64) std::uint8_t tweaks[set_size];
    alignas(64) std::uint8_t masks[group_units * slice_size];
    for (std::size_t u = 0; u < units; u += group_units) {
      const std::size_t slot = u % batch_units;
      if (slot == 0) encrypt_numbers(keys.tweak, first_unit + u, units - u, tweaks);
      Masks::make(tweaks + slot * block_size, masks);
      const std::size_t count = units - u < group_units ? units - u : group_units;
      crypt_group<encrypting>(keys.data, masks, in, out, count);
      in += count * slice_size;
      out += count * slice_size;
    }
    wipe(tweaks, sizeof tweaks);
    wipe(masks, sizeof masks);
  }

  // A unit is eight slices, the tweak of each that of the one before times alpha^32.
  template <bool encrypting>
  static void crypt_units4096(const void* schedule, std::uint64_t first_unit,
                              const std::uint8_t* in, std::uint8_t* out, std::size_t units) {
    static_assert(unit_slices % group_units == 0);
    const auto& keys = *static_cast<const Schedule*>(schedule);
    alignas(64) std::uint8_t tweaks[set_size];
    alignas(64) std::uint8_t slice_tweaks[unit_slices * block_size];
    alignas(64) std::uint8_t masks[group_units * slice_size];
    for (std::size_t u = 0; u < units; ++u) {
      const std::size_t slot = u % batch_units;
      if (slot == 0) encrypt_numbers(keys.tweak, first_unit + u, units - u, tweaks);
      make_slice_tweaks(tweaks + slot * block_size, slice_tweaks);
      for (std::size_t slice = 0; slice < unit_slices; slice += group_units) {
        Masks::make(slice_tweaks + slice * block_size, masks);
        crypt_group<encrypting>(keys.data, masks, in, out, group_units);
        in += group_units * slice_size;
        out += group_units * slice_size;
      }
    }
    wipe(tweaks, sizeof tweaks);
    wipe(slice_tweaks, sizeof slice_tweaks);
    wipe(masks, sizeof masks);
  }

  static constexpr XtsKernel row(const char* name, std::uint32_t features) {
    static_assert(sizeof(Schedule) <= max_schedule_bytes);
    return {Cipher::id,
            name,
            features,
            true,
            sizeof(Schedule),
            expand,
            nullptr,
            {crypt_units512<true>, crypt_units512<false>},
            {crypt_units4096<true>, crypt_units4096<false>},
            nullptr};
  }
};

}  // namespace volt::byteslice
