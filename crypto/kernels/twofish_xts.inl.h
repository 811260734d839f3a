// Twofish-XTS over data units of 512 bytes on the byte-sliced rounds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto/kernels/twofish_rounds.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt::twofish {

template <class Isa>
struct Xts {
  static constexpr std::size_t unit_size = 512;
  static constexpr std::size_t block_size = 16;
  static constexpr std::size_t set_size = block_size * Isa::bytes;
  // Tweaks that one set encrypts.
  static constexpr std::size_t batch_units = Isa::bytes;

  struct Schedule {
    SlicedKey data;
    SlicedKey tweak;
  };

  static void slice_key(const std::uint8_t* key, SlicedKey& sliced) {
    TwofishKey expanded;
    expand_twofish_key(key, expanded);
    for (int r = 0; r < 16; ++r) {
      for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 16; ++i) sliced.row[r][j][i] = expanded.s_box[j][16 * r + i];
      }
    }
    difference_rows(sliced, 1);
    if constexpr (Isa::select_adds) {
      difference_rows(sliced, 2);
      difference_rows(sliced, 4);
    }
    for (int i = 0; i < 40; ++i) sliced.subkey[i] = expanded.subkey[i];
    wipe(&expanded, sizeof expanded);
  }

  // Rows with this bit of their number become the difference to the row without it, where the
  // look-up adds both.
  static void difference_rows(SlicedKey& sliced, int bit) {
    for (int r = 0; r < 16; ++r) {
      if ((r & bit) == 0) continue;
      for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 16; ++i) sliced.row[r][j][i] ^= sliced.row[r - bit][j][i];
      }
    }
  }

  static void wipe(void* data, std::size_t size) {
    __builtin_memset(data, 0, size);
    asm volatile("" : : "r"(data) : "memory");
  }

  static void expand(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule) {
    Schedule& keys = *static_cast<Schedule*>(schedule);
    slice_key(data_key, keys.data);
    slice_key(tweak_key, keys.tweak);
  }

  // The tweak of unit `first_unit` + i, encrypted, for a whole batch.
  [[gnu::noinline]] static void first_tweaks(const SlicedKey& key, std::uint64_t first_unit,
                                             std::size_t count, std::uint8_t* tweaks) {
    alignas(64) static constexpr std::uint8_t no_masks[set_size] = {};
    std::uint64_t* words = reinterpret_cast<std::uint64_t*>(tweaks);
    for (std::size_t i = 0; i < batch_units; ++i) {
      words[2 * i] = i < count ? first_unit + i : 0;
      words[2 * i + 1] = 0;
    }
    Rounds<Isa>::template crypt_set<true>(key, no_masks, tweaks, tweaks);
  }

  // The masks of the 32 blocks of as many units as a vector holds blocks, unit after unit.
  [[gnu::always_inline]] static void unit_masks(const std::uint8_t* tweaks, std::uint8_t* masks) {
    typename Isa::V tweak = Isa::load(tweaks);
    for (std::size_t block = 0; block < unit_size / block_size; ++block) {
      Isa::store_lanes(masks + block * block_size, unit_size, tweak);
      tweak = Isa::times_alpha(tweak);
    }
  }

  template <bool encrypting>
  static void crypt_units(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t units) {
    constexpr std::size_t lanes = Isa::bytes / block_size;
    const Schedule& keys = *static_cast<const Schedule*>(schedule);
    alignas(64) std::uint8_t tweaks[set_size];
    alignas(64) std::uint8_t masks[lanes * unit_size];
    for (std::size_t u = 0; u < units; ++u) {
      const std::size_t slot = u % batch_units;
      if (slot == 0) first_tweaks(keys.tweak, first_unit + u, units - u, tweaks);
      if (slot % lanes == 0) unit_masks(tweaks + slot * block_size, masks);
      const std::uint8_t* mask = masks + slot % lanes * unit_size;
      for (std::size_t done = 0; done < unit_size; done += set_size) {
        Rounds<Isa>::template crypt_set<encrypting>(keys.data, mask + done, in + done, out + done);
      }
      in += unit_size;
      out += unit_size;
    }
  }

  static constexpr XtsKernel row(const char* name, std::uint32_t features) {
    static_assert(sizeof(Schedule) <= max_schedule_bytes);
    return {CipherId::twofish, name,   features, true,
            sizeof(Schedule),  expand, nullptr,  crypt_units<true>,
            crypt_units<false>};
  }
};

}  // namespace volt::twofish
