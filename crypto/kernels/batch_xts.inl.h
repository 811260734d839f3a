// XTS on a cipher that takes many blocks at a time, without any instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {

namespace {

inline constexpr std::size_t batch_block_bytes = 16;
inline constexpr std::size_t batch_unit_blocks = unit_bytes / batch_block_bytes;
inline constexpr std::size_t batch_units = 8;

// Scratch of one call; whitening masks are as secret as the data.
struct BatchWork {
  alignas(64) std::uint64_t masks[batch_units * unit_bytes / 8];
  alignas(64) std::uint64_t tweaks[batch_units][2];

  ~BatchWork() { wipe(this, sizeof *this); }
};

// Words of tweaks and masks are little-endian in memory, whatever the machine.
inline std::uint64_t batch_little_endian(std::uint64_t value) noexcept {
  if constexpr (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) return value;
  return __builtin_bswap64(value);
}

// The encrypted tweak of each unit, times alpha^0 ... alpha^31 (IEEE 1619-2007, 5.2), without a
// branch on the bit that leaves the top.
inline void batch_fill_masks(std::size_t units, BatchWork& work) noexcept {
  std::uint64_t* mask = work.masks;
  for (std::size_t u = 0; u < units; ++u) {
    std::uint64_t low = batch_little_endian(work.tweaks[u][0]);
    std::uint64_t high = batch_little_endian(work.tweaks[u][1]);
    for (std::size_t b = 0; b < batch_unit_blocks; ++b, mask += 2) {
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
// both in place.
template <class Cipher, bool encrypting>
void batch_crypt_units(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                       std::uint8_t* out, std::size_t units) {
  const auto& keys = *static_cast<const typename Cipher::Schedule*>(schedule);
  BatchWork work;
  while (units > 0) {
    const std::size_t count = units < batch_units ? units : batch_units;
    const std::size_t bytes = count * unit_bytes;
    for (std::size_t u = 0; u < count; ++u) {
      work.tweaks[u][0] = batch_little_endian(first_unit + u);
      work.tweaks[u][1] = 0;
    }
    Cipher::encrypt(keys.tweak, reinterpret_cast<std::uint8_t*>(work.tweaks), count);
    batch_fill_masks(count, work);
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

}  // namespace
}  // namespace volt
