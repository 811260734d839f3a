// The pseudo-random functions of the formats' key derivations.
#pragma once

#include <cstdint>

namespace volt {

enum class PrfId : std::uint8_t {
  sha512,
  sha256,
  blake2s,
  whirlpool,
  streebog,
  ripemd160,
  sha1,
  argon2id,
};

}  // namespace volt
