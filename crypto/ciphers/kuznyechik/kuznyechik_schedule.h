// Kuznyechik's key schedule (RFC 7801), for all kernels.
#pragma once

#include <cstdint>

namespace volt {

inline constexpr int kuznyechik_rounds = 10;  // round keys; nine full rounds

// Section 4.4: `round_keys` gets ten times 16 bytes. Constant time; leaves no copy behind.
void kuznyechik_round_keys(const std::uint8_t* key, std::uint8_t* round_keys) noexcept;

}  // namespace volt
