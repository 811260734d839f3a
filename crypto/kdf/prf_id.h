// The pseudo-random functions that keys are derived with.
#pragma once

#include <cstdint>
#include <string_view>

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

const char* prf_name(PrfId prf) noexcept;  // "sha512": command line, JSON
// By that name or VeraCrypt's ("HMAC-SHA-512", "Argon2"), compared as same_name() does.
bool parse_prf(std::string_view name, PrfId* prf) noexcept;

}  // namespace volt
