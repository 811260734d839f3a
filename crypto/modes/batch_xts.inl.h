// XTS on a cipher that takes many blocks at a time, without any instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "crypto/isa/words.inl.h"
#include "crypto/modes/xts_kernel.h"

namespace volt {

namespace {

inline constexpr std::size_t batch_block_bytes = 16;
inline constexpr std::size_t batch_bytes = 4096;  // eight units of 512 bytes, or one of 4096
inline constexpr std::size_t batch_numbers = 8;   // unit numbers encrypted together

// Scratch of one call; whitening masks are as secret as the data.
struct BatchWork {
  alignas(64) std::uint64_t masks[batch_bytes / 8];
  alignas(64) std::uint64_t tweaks[batch_numbers][2];

  ~BatchWork() { wipe(this, sizeof *this); }
};

// Words of tweaks and masks are little-endian in memory, whatever the machine.
inline std::uint64_t batch_little_endian(std::uint64_t value) noexcept {
  if constexpr (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) return value;
  return __builtin_bswap64(value);
}

// The encrypted tweak of each unit, times alpha^0, alpha^1 ... for all its blocks (IEEE 1619-2007,
// 5.2), without a branch on the bit that leaves the top.
inline void batch_fill_masks(const std::uint64_t (*tweaks)[2], std::size_t units,
                             std::size_t unit_blocks, std::uint64_t* mask) noexcept {
  for (std::size_t u = 0; u < units; ++u) {
    std::uint64_t low = batch_little_endian(tweaks[u][0]);
    std::uint64_t high = batch_little_endian(tweaks[u][1]);
    for (std::size_t b = 0; b < unit_blocks; ++b, mask += 2) {
      mask[0] = batch_little_endian(low);
      mask[1] = batch_little_endian(high);
      const std::uint64_t carry = (0 - (high >> 63)) & 0x87;
      high = (high << 1) | (low >> 63);
      low = (low << 1) ^ carry;
    }
  }
}

inline void batch_xor(const std::uint8_t* in, const std::uint64_t* masks, std::uint8_t* out,
                      std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < bytes; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, in + i, 8);
    word ^= masks[i / 8];
    std::memcpy(out + i, &word, 8);
  }
}

// `Cipher` has `Schedule` with `data` and `tweak`, and encrypt(key, bytes, blocks) and decrypt,
// both in place. Data units of `unit_size` bytes, which divides a batch.
template <class Cipher, std::size_t unit_size, bool encrypting>
void batch_crypt_units(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                       std::uint8_t* out, std::size_t units) {
  constexpr std::size_t batch_units = batch_bytes / unit_size;
  const auto& keys = *static_cast<const typename Cipher::Schedule*>(schedule);
  BatchWork work;
  for (std::size_t slot = 0; units > 0; slot = (slot + batch_units) % batch_numbers) {
    if (slot == 0) {
      for (std::size_t u = 0; u < batch_numbers; ++u) {
        work.tweaks[u][0] = batch_little_endian(first_unit + u);
        work.tweaks[u][1] = 0;
      }
      Cipher::encrypt(keys.tweak, reinterpret_cast<std::uint8_t*>(work.tweaks),
                      units < batch_numbers ? units : batch_numbers);
    }
    const std::size_t count = units < batch_units ? units : batch_units;
    const std::size_t bytes = count * unit_size;
    batch_fill_masks(work.tweaks + slot, count, unit_size / batch_block_bytes, work.masks);
    batch_xor(in, work.masks, out, bytes);
    if constexpr (encrypting) {
      Cipher::encrypt(keys.data, out, bytes / batch_block_bytes);
    } else {
      Cipher::decrypt(keys.data, out, bytes / batch_block_bytes);
    }
    batch_xor(out, work.masks, out, bytes);
    first_unit += count;
    in += bytes;
    out += bytes;
    units -= count;
  }
}

// What differs between rows on such ciphers (see XtsKernel).
struct BatchRow {
  void (*expand)(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule);
  void (*destroy)(void* schedule);
  bool (*available)();
};

template <class Cipher>
constexpr XtsKernel batch_row(CipherId cipher, const char* name, bool constant_time, BatchRow row) {
  return {cipher,
          name,
          0,
          constant_time,
          sizeof(typename Cipher::Schedule),
          row.expand,
          row.destroy,
          {batch_crypt_units<Cipher, 512, true>, batch_crypt_units<Cipher, 512, false>},
          {batch_crypt_units<Cipher, 4096, true>, batch_crypt_units<Cipher, 4096, false>},
          row.available};
}

}  // namespace
}  // namespace volt
