#include "crypto/kdf_spec.h"

#include <algorithm>

#include "crypto/same_name.h"

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
    {PrfId::argon2id, vc, false, "argon2id", 6, PimRule::argon2, true},
    {PrfId::sha256, vc, true, "sha256", 200000, PimRule::linear_2048, false},
    {PrfId::blake2s, vc, true, "blake2s", 200000, PimRule::linear_2048, false},
    {PrfId::sha512, vc, true, "sha512", 500000, PimRule::linear_1000, false},
    {PrfId::ripemd160, vc, true, "ripemd160", 327661, PimRule::linear_2048, false},
    {PrfId::whirlpool, vc, true, "whirlpool", 500000, PimRule::linear_1000, false},
    {PrfId::streebog, vc, true, "streebog", 200000, PimRule::linear_2048, false},
};

struct PrfName {
  PrfId prf;
  const char* name;
};

constexpr PrfName prf_names[] = {
    {PrfId::sha512, "sha512"},       {PrfId::sha256, "sha256"},     {PrfId::blake2s, "blake2s"},
    {PrfId::whirlpool, "whirlpool"}, {PrfId::streebog, "streebog"}, {PrfId::ripemd160, "ripemd160"},
    {PrfId::sha1, "sha1"},           {PrfId::argon2id, "argon2id"},
};

// What VeraCrypt calls some of them.
constexpr PrfName other_prf_names[] = {
    {PrfId::blake2s, "blake2s-256"},
    {PrfId::argon2id, "argon2"},
};

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

bool parse_prf(std::string_view name, PrfId* prf) noexcept {
  name = without_prefix(name, "hmac-");
  for (const std::span<const PrfName> names :
       {std::span<const PrfName>(prf_names), std::span<const PrfName>(other_prf_names)}) {
    for (const PrfName& row : names) {
      if (!same_name(name, row.name)) continue;
      *prf = row.prf;
      return true;
    }
  }
  return false;
}

bool parse_format(std::string_view name, VolumeFormat* format) noexcept {
  for (const VolumeFormat known : {tc, vc}) {
    if (!same_name(name, format_name(known))) continue;
    *format = known;
    return true;
  }
  return false;
}

const char* prf_name(PrfId prf) noexcept {
  for (const PrfName& row : prf_names) {
    if (row.prf == prf) return row.name;
  }
  return "unknown";
}

std::uint32_t kdf_iterations(const KdfSpec& spec, std::uint32_t pim) noexcept {
  switch (spec.pim_rule) {
    case PimRule::linear_1000:
      return pim == 0 ? spec.default_iterations : 15000 + 1000 * pim;
    case PimRule::linear_2048:
      return pim == 0 ? spec.default_iterations : 2048 * pim;
    case PimRule::argon2:
      return argon2_parameters(pim).passes;
    case PimRule::none:
      break;
  }
  return spec.default_iterations;
}

Argon2Parameters argon2_parameters(std::uint32_t pim) noexcept {
  constexpr std::uint32_t default_pim = 12;
  constexpr std::uint32_t mib = 1024;
  if (pim == 0) pim = default_pim;
  const std::uint64_t memory_mib =
      std::min<std::uint64_t>(64 + (std::uint64_t{pim} - 1) * 32, 1024);
  const std::uint32_t passes = pim <= 31 ? 3 + (pim - 1) / 3 : 13 + (pim - 31);
  return {static_cast<std::uint32_t>(memory_mib) * mib, passes, 1};
}

}  // namespace volt
