#include "crypto/base/crc32.h"

namespace volt {

// Bit by bit and without a table: the inputs are key files and decrypted headers, so no address
// may depend on them. At most a few MiB per unlock, so speed does not matter.
std::uint32_t crc32_update(std::uint32_t state, std::uint8_t byte) noexcept {
  state ^= byte;
  for (int bit = 0; bit < 8; ++bit) {
    const std::uint32_t mask = 0U - (state & 1U);
    state = (state >> 1) ^ (0xEDB88320U & mask);
  }
  return state;
}

std::uint32_t crc32(ByteSpan bytes) noexcept {
  std::uint32_t state = 0xFFFFFFFFU;
  for (const std::uint8_t byte : bytes) state = crc32_update(state, byte);
  return ~state;
}

}  // namespace volt
