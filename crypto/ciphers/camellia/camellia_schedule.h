// Camellia's key schedule for 256-bit keys (RFC 3713, 2.2), for all kernels of ours.
#pragma once

#include <cstdint>

namespace volt {

// Subkeys in the order in which they are used; big-endian words as the RFC writes them.
struct CamelliaSubkeys {
  std::uint64_t whiten_in[2];
  std::uint64_t round[24];
  std::uint64_t mix[6];  // of FL and its inverse, after rounds 6, 12 and 18
  std::uint64_t whiten_out[2];
};

// Subkeys for encryption and for decryption, which is the same with the order turned round.
// Constant time; leaves no copy behind.
void camellia_subkeys(const std::uint8_t* key, CamelliaSubkeys& encrypt,
                      CamelliaSubkeys& decrypt) noexcept;

}  // namespace volt
