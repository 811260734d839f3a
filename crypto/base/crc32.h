// CRC-32 as in the volume headers and in keyfile mixing (IEEE 802.3, reflected, 0xEDB88320).
#pragma once

#include <cstdint>

#include "crypto/base/bytes.h"

namespace volt {

// One step: the register after `byte`. The register starts at 0xFFFFFFFF and is not inverted here:
// keyfile mixing uses the running register itself.
std::uint32_t crc32_update(std::uint32_t state, std::uint8_t byte) noexcept;

// The usual CRC-32 of a whole message (initial value and final inversion included).
std::uint32_t crc32(ByteSpan bytes) noexcept;

}  // namespace volt
