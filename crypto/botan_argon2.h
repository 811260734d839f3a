// Argon2id (RFC 9106).
#pragma once

#include "crypto/bytes.h"
#include "crypto/kdf_spec.h"
#include "crypto/result.h"

namespace volt {

// Fills `out` (any length from 4 on; the output depends on the length). Needs
// parameters.memory_kib of memory. Errors: no_memory, not_supported. Thread-safe.
Status argon2id(const Argon2Parameters& parameters, ByteSpan password, ByteSpan salt,
                MutableByteSpan out);

}  // namespace volt
