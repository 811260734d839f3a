#include "crypto/botan_argon2.h"

#include <new>

#include <botan/exceptn.h>
#include <botan/pwdhash.h>

namespace volt {

Status argon2id(const Argon2Parameters& parameters, ByteSpan password, ByteSpan salt,
                MutableByteSpan out) try {
  const auto family = Botan::PasswordHashFamily::create("Argon2id");
  if (family == nullptr) return Error{ErrorCode::not_supported, 0, "Argon2id", 0};
  const auto hash =
      family->from_params(parameters.memory_kib, parameters.passes, parameters.parallelism);
  hash->derive_key(out.data(), out.size(), reinterpret_cast<const char*>(password.data()),
                   password.size(), salt.data(), salt.size());
  return {};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::no_memory, 0, "memory for Argon2id", parameters.memory_kib};
} catch (const Botan::Exception&) {
  return Error{ErrorCode::internal, 0, "Argon2id", 0};
}

}  // namespace volt
