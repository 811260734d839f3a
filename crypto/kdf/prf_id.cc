#include "crypto/kdf/prf_id.h"

#include <span>

#include "crypto/base/same_name.h"

namespace volt {
namespace {

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

const char* prf_name(PrfId prf) noexcept {
  for (const PrfName& row : prf_names) {
    if (row.prf == prf) return row.name;
  }
  return "unknown";
}

}  // namespace volt
