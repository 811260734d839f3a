// Key derivation functions of the formats, as data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "crypto/prf_id.h"
#include "crypto/result.h"

namespace volt {

enum class VolumeFormat : std::uint8_t { truecrypt, veracrypt };
const char* format_name(VolumeFormat format) noexcept;  // "truecrypt", "veracrypt"

// How a PIM changes the iteration count.
enum class PimRule : std::uint8_t {
  none,         // TrueCrypt: no PIM
  linear_1000,  // 15000 + 1000 x PIM
  linear_2048,  // 2048 x PIM (VeraCrypt system encryption, some PRFs)
  argon2,       // memory and passes grow, see kdf_parameters()
};

// One row: a PRF of one format, for ordinary volumes or for system encryption.
struct KdfSpec {
  PrfId prf;
  VolumeFormat format;
  bool system;
  const char* name;                  // "sha512": command line, JSON
  std::uint32_t default_iterations;  // PIM 0; Argon2id: unused, its rule has a default PIM
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

// What a derivation takes, by value: the tables above only say where the numbers come from.
struct Argon2Parameters {
  std::uint32_t memory_kib;
  std::uint32_t passes;
  std::uint32_t parallelism;  // lanes
};
struct KdfParameters {
  PrfId prf;
  std::uint32_t iterations;  // PBKDF2; 0 with Argon2id
  Argon2Parameters argon2;   // zeros with PBKDF2
  // Argon2id: length of the whole output, whose beginning depends on it; 0 with PBKDF2.
  std::uint32_t output_bytes;
};

// The row's rule for that PIM (0: the default), which check_pim() must allow. Argon2id: the rule of
// VeraCrypt 1.26.27.
KdfParameters kdf_parameters(const KdfSpec& spec, std::uint32_t pim) noexcept;

// Where parameters come from; replaced where a test or a measurement wants cheaper ones.
using KdfRule = KdfParameters (*)(const KdfSpec& spec, std::uint32_t pim);

// VeraCrypt's own limits. The iteration count fits 31 bits then; the boot loader's PIM has 16 bits.
inline constexpr std::uint32_t max_pim = 2147468;
inline constexpr std::uint32_t max_system_pim = 65535;

bool format_has_pim(VolumeFormat format) noexcept;

// The one place that says which PIM may be. `format`: none where it is not known yet.
// Errors: invalid_argument, whose context is a sentence that names the limit. 0 is always good.
Status check_pim(std::optional<VolumeFormat> format, bool system, std::uint32_t pim) noexcept;

}  // namespace volt
