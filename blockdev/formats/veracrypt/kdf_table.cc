#include "blockdev/formats/veracrypt/kdf_table.h"

#include <algorithm>

#include "crypto/base/same_name.h"

namespace volt {
namespace {

constexpr auto tc = VolumeFormat::truecrypt;
constexpr auto vc = VolumeFormat::veracrypt;

// prf, format, system, name, iterations, PIM rule, creatable. TrueCrypt's cost thousandths of
// VeraCrypt's; within VeraCrypt by popularity; Argon2id, which needs much memory, last.
constexpr KdfSpec kdfs[] = {
    {PrfId::sha512, tc, false, "sha512", 1000, PimRule::none, true},
    {PrfId::ripemd160, tc, false, "ripemd160", 2000, PimRule::none, true},
    {PrfId::whirlpool, tc, false, "whirlpool", 1000, PimRule::none, true},
    {PrfId::sha1, tc, false, "sha1", 2000, PimRule::none, false},
    {PrfId::ripemd160, tc, true, "ripemd160", 1000, PimRule::none, false},
    {PrfId::sha512, vc, false, "sha512", 500000, PimRule::linear_1000, true},
    {PrfId::sha256, vc, false, "sha256", 500000, PimRule::linear_1000, true},
    {PrfId::blake2s, vc, false, "blake2s", 500000, PimRule::linear_1000, true},
    {PrfId::ripemd160, vc, false, "ripemd160", 655331, PimRule::linear_1000, true},
    {PrfId::whirlpool, vc, false, "whirlpool", 500000, PimRule::linear_1000, true},
    {PrfId::streebog, vc, false, "streebog", 500000, PimRule::linear_1000, true},
    {PrfId::argon2id, vc, false, "argon2id", 0, PimRule::argon2, true},
    {PrfId::sha256, vc, true, "sha256", 200000, PimRule::linear_2048, false},
    {PrfId::blake2s, vc, true, "blake2s", 200000, PimRule::linear_2048, false},
    {PrfId::sha512, vc, true, "sha512", 500000, PimRule::linear_1000, false},
    {PrfId::ripemd160, vc, true, "ripemd160", 327661, PimRule::linear_2048, false},
    {PrfId::whirlpool, vc, true, "whirlpool", 500000, PimRule::linear_1000, false},
    {PrfId::streebog, vc, true, "streebog", 200000, PimRule::linear_2048, false},
};

// VeraCrypt derives this many bytes by Argon2id whatever the cipher.
constexpr std::uint32_t veracrypt_argon2_bytes = 192;

// VeraCrypt 1.26.27's rule.
Argon2Parameters argon2_parameters(std::uint32_t pim) noexcept {
  constexpr std::uint32_t default_pim = 12;
  constexpr std::uint32_t mib = 1024;
  if (pim == 0) pim = default_pim;
  const std::uint64_t memory_mib =
      std::min<std::uint64_t>(64 + (std::uint64_t{pim} - 1) * 32, 1024);
  const std::uint32_t passes = pim <= 31 ? 3 + (pim - 1) / 3 : 13 + (pim - 31);
  return {static_cast<std::uint32_t>(memory_mib) * mib, passes, 1};
}

}  // namespace

const char* format_name(VolumeFormat format) noexcept {
  return format == VolumeFormat::truecrypt ? "truecrypt" : "veracrypt";
}

std::span<const KdfSpec> all_kdfs() noexcept {
  return kdfs;
}

const KdfSpec* find_kdf(VolumeFormat format, PrfId prf, bool system) noexcept {
  for (const KdfSpec& spec : kdfs) {
    if (spec.format == format && spec.prf == prf && spec.system == system) return &spec;
  }
  return nullptr;
}

bool parse_format(std::string_view name, VolumeFormat* format) noexcept {
  for (const VolumeFormat known : {tc, vc}) {
    if (!same_name(name, format_name(known))) continue;
    *format = known;
    return true;
  }
  return false;
}

KdfParameters kdf_parameters(const KdfSpec& spec, std::uint32_t pim) noexcept {
  std::uint32_t iterations = spec.default_iterations;
  switch (spec.pim_rule) {
    case PimRule::linear_1000:
      if (pim != 0) iterations = 15000 + 1000 * pim;
      break;
    case PimRule::linear_2048:
      if (pim != 0) iterations = 2048 * pim;
      break;
    case PimRule::argon2:
      return {spec.prf, 0, argon2_parameters(pim), veracrypt_argon2_bytes};
    case PimRule::none:
      break;
  }
  return {spec.prf, iterations, {}, 0};
}

bool format_has_pim(VolumeFormat format) noexcept {
  return format != VolumeFormat::truecrypt;
}

Status check_pim(std::optional<VolumeFormat> format, bool system, std::uint32_t pim) noexcept {
  static_assert(max_pim == 2147468 && max_system_pim == 65535, "the sentences name them");
  const auto wrong = [pim](const char* why) {
    return Error{ErrorCode::invalid_argument, 0, why, pim};
  };
  if (pim == 0) return {};
  if (format && !format_has_pim(*format)) return wrong("TrueCrypt volumes have no PIM");
  if (system && pim > max_system_pim) {
    return wrong("the PIM of a system-encrypted drive is at most 65535");
  }
  if (pim > max_pim) return wrong("a PIM is at most 2147468");
  return {};
}

}  // namespace volt
