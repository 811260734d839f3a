// Key derivation functions of the formats, as data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "crypto/prf_id.h"

namespace volt {

enum class VolumeFormat : std::uint8_t { truecrypt, veracrypt };
const char* format_name(VolumeFormat format) noexcept;  // "truecrypt", "veracrypt"

// How a PIM changes the iteration count.
enum class PimRule : std::uint8_t {
  none,         // TrueCrypt: no PIM
  linear_1000,  // 15000 + 1000 x PIM
  linear_2048,  // 2048 x PIM (VeraCrypt system encryption, some PRFs)
  argon2,       // see argon2_parameters()
};

// One row: a PRF of one format, for ordinary volumes or for system encryption.
struct KdfSpec {
  PrfId prf;
  VolumeFormat format;
  bool system;
  const char* name;                  // "sha512": command line, JSON
  std::uint32_t default_iterations;  // PIM 0 (Argon2: passes)
  PimRule pim_rule;
  bool creatable;  // new volumes may use it
};

// All rows, cheap ones first: unlocking tries them in this order.
std::span<const KdfSpec> all_kdfs() noexcept;
const KdfSpec* find_kdf(VolumeFormat format, PrfId prf, bool system) noexcept;
// By the name of its rows or VeraCrypt's ("HMAC-SHA-512", "Argon2"), compared as same_name() does.
bool parse_prf(std::string_view name, PrfId* prf) noexcept;
bool parse_format(std::string_view name, VolumeFormat* format) noexcept;
const char* prf_name(PrfId prf) noexcept;

// Largest PIM whose iteration count fits 31 bits: 2147468, VeraCrypt's own limit.
inline constexpr std::uint32_t max_pim = 2147468;

// PBKDF2 iterations of `spec` with that PIM (0: default). PIM must be <= max_pim.
std::uint32_t kdf_iterations(const KdfSpec& spec, std::uint32_t pim) noexcept;

struct Argon2Parameters {
  std::uint32_t memory_kib;
  std::uint32_t passes;
  std::uint32_t parallelism;
};
// VeraCrypt 1.26.27's rule; PIM 0 means 12.
Argon2Parameters argon2_parameters(std::uint32_t pim) noexcept;

}  // namespace volt
