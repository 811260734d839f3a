// Which key derivations TrueCrypt and VeraCrypt volumes have, as data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "crypto/base/result.h"
#include "crypto/kdf/kdf_parameters.h"
#include "crypto/kdf/prf_id.h"

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
bool parse_format(std::string_view name, VolumeFormat* format) noexcept;

// The row's rule for that PIM (0: the default), which check_pim() must allow. Argon2id: the rule of
// VeraCrypt 1.26.27.
KdfParameters kdf_parameters(const KdfSpec& spec, std::uint32_t pim) noexcept;

// Where parameters come from; replaced where a test or a measurement wants cheaper ones.
using KdfRule = KdfParameters (*)(const KdfSpec& spec, std::uint32_t pim);

inline constexpr std::size_t header_salt_bytes = 64;
inline constexpr std::size_t truecrypt_max_password = 64;   // bytes
inline constexpr std::size_t veracrypt_max_password = 128;  // since 1.24
constexpr std::size_t longest_password(VolumeFormat format) noexcept {
  return format == VolumeFormat::truecrypt ? truecrypt_max_password : veracrypt_max_password;
}

// VeraCrypt's own limits. The iteration count fits 31 bits then; the boot loader's PIM has 16 bits.
inline constexpr std::uint32_t max_pim = 2147468;
inline constexpr std::uint32_t max_system_pim = 65535;

bool format_has_pim(VolumeFormat format) noexcept;

// The one place that says which PIM may be. `format`: none where it is not known yet.
// Errors: invalid_argument, whose context is a sentence that names the limit. 0 is always good.
Status check_pim(std::optional<VolumeFormat> format, bool system, std::uint32_t pim) noexcept;

}  // namespace volt
