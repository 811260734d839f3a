// What a derivation takes, by value. Which numbers a volume has is its format's matter.
#pragma once

#include <cstdint>

#include "crypto/kdf/prf_id.h"

namespace volt {

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

}  // namespace volt
