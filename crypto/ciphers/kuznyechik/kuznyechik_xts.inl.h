// XTS on Kuznyechik in bit slices, for any width of vector.
#pragma once

#include "crypto/ciphers/kuznyechik/kuznyechik_bits.inl.h"
#include "crypto/isa/words.inl.h"
#include "crypto/modes/xts_kernel.h"

namespace volt {

namespace {

// Bit i of word j becomes bit j of word i, in each 64 x 64 matrix.
template <class V>
inline void kuz_transpose(V* words) {
  std::uint64_t mask = 0x00000000FFFFFFFF;
  for (int shift = 32; shift > 0; shift >>= 1, mask ^= mask << shift) {
    for (int i = 0; i < 64; i = ((i | shift) + 1) & ~shift) {
      const V moved = ((words[i] >> shift) ^ words[i | shift]) & (V{} + mask);
      words[i | shift] ^= moved;
      words[i] ^= moved << shift;
    }
  }
}

template <class V>
struct KuzXts {
  static constexpr std::size_t lanes = sizeof(V) / 8;
  static constexpr std::size_t batch_blocks = 64 * lanes;

  struct Schedule {
    KuzKey data;
    KuzKey tweak;
  };

  // Everything secret of one call, so that it can be wiped in one go.
  struct Work {
    KuzState<V> state;
    std::uint64_t tweaks[batch_blocks][2];  // of as many units
    std::uint64_t mask[2];                  // of the next block
    std::uint64_t masks[batch_blocks][2];
    std::uint64_t blocks[batch_blocks][2];
  };

  // Block 64 * lane + i is bit i of lane `lane`.
  static void load(const std::uint64_t (*blocks)[2], KuzState<V>& state) {
    for (int half = 0; half < 2; ++half) {
      V* words = state.row[half * 8];
      for (std::size_t i = 0; i < 64; ++i) {
        std::uint64_t column[lanes];
        for (std::size_t lane = 0; lane < lanes; ++lane) column[lane] = blocks[64 * lane + i][half];
        std::memcpy(&words[i], column, sizeof column);
      }
      kuz_transpose(words);
    }
  }

  static void store(KuzState<V>& state, std::uint64_t (*blocks)[2]) {
    for (int half = 0; half < 2; ++half) {
      V* words = state.row[half * 8];
      kuz_transpose(words);
      for (std::size_t i = 0; i < 64; ++i) {
        std::uint64_t column[lanes];
        std::memcpy(column, &words[i], sizeof column);
        for (std::size_t lane = 0; lane < lanes; ++lane) blocks[64 * lane + i][half] = column[lane];
      }
    }
  }

  // Tweaks of `units` units from `first_unit` on; the rest of the batch is of no interest.
  static void make_tweaks(const KuzKey& key, std::uint64_t first_unit, Work& work) {
    for (std::size_t i = 0; i < batch_blocks; ++i) {
      work.tweaks[i][0] = first_unit + i;
      work.tweaks[i][1] = 0;
    }
    load(work.tweaks, work.state);
    kuz_encrypt(work.state, key);
    store(work.state, work.tweaks);
  }

  // Masks of `blocks` blocks, each the one before times alpha (IEEE 1619-2007, 5.2), from work.mask
  // on.
  static void make_masks(std::size_t blocks, std::uint64_t (*masks)[2], Work& work) {
    std::uint64_t low = work.mask[0];
    std::uint64_t high = work.mask[1];
    for (std::size_t b = 0; b < blocks; ++b) {
      masks[b][0] = low;
      masks[b][1] = high;
      const std::uint64_t carry = (0 - (high >> 63)) & 0x87;
      high = (high << 1) | (low >> 63);
      low = (low << 1) ^ carry;
    }
    work.mask[0] = low;
    work.mask[1] = high;
  }

  // `blocks` blocks, whitened by work.masks on both sides.
  template <bool encrypting>
  static void one_batch(const KuzKey& key, const std::uint8_t* in, std::uint8_t* out,
                        std::size_t blocks, Work& work) {
    std::memcpy(work.blocks, in, blocks * 16);
    for (std::size_t i = 0; i < blocks; ++i) {
      work.blocks[i][0] ^= work.masks[i][0];
      work.blocks[i][1] ^= work.masks[i][1];
    }
    load(work.blocks, work.state);
    if constexpr (encrypting) {
      kuz_encrypt(work.state, key);
    } else {
      kuz_decrypt(work.state, key);
    }
    store(work.state, work.blocks);
    for (std::size_t i = 0; i < blocks; ++i) {
      work.blocks[i][0] ^= work.masks[i][0];
      work.blocks[i][1] ^= work.masks[i][1];
    }
    std::memcpy(out, work.blocks, blocks * 16);
  }

  // `place` counts the blocks of all units. A batch has several units, or a part of one.
  template <std::size_t unit_size, bool encrypting>
  static void crypt_units(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t units) {
    constexpr std::size_t unit_blocks = unit_size / 16;
    constexpr std::size_t piece = unit_blocks < batch_blocks ? unit_blocks : batch_blocks;
    static_assert(batch_blocks % piece == 0 && unit_blocks % piece == 0);
    const auto& keys = *static_cast<const Schedule*>(schedule);
    Work work;
    // Blocks of a short batch that no data fill are still read.
    std::memset(work.blocks, 0, sizeof work.blocks);
    const std::size_t all = units * unit_blocks;
    for (std::size_t place = 0; place < all; place += batch_blocks) {
      const std::size_t blocks = all - place < batch_blocks ? all - place : batch_blocks;
      for (std::size_t done = 0; done < blocks; done += piece) {
        if ((place + done) % unit_blocks == 0) {
          const std::size_t unit = (place + done) / unit_blocks;
          if (unit % batch_blocks == 0) make_tweaks(keys.tweak, first_unit + unit, work);
          std::memcpy(work.mask, work.tweaks[unit % batch_blocks], sizeof work.mask);
        }
        make_masks(piece, work.masks + done, work);
      }
      one_batch<encrypting>(keys.data, in + place * 16, out + place * 16, blocks, work);
    }
    wipe(&work, sizeof work);
  }

  static constexpr XtsKernel row(const char* name, std::uint32_t features,
                                 void (*expand)(const std::uint8_t*, const std::uint8_t*, void*)) {
    return {CipherId::kuznyechik,
            name,
            features,
            true,
            sizeof(Schedule),
            expand,
            nullptr,
            {crypt_units<512, true>, crypt_units<512, false>},
            {crypt_units<4096, true>, crypt_units<4096, false>},
            nullptr};
  }
};

}  // namespace

// In kuznyechik_portable.cc: the schedule is the same for every width.
void kuznyechik_expand(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule);

}  // namespace volt
