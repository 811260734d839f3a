// Argon2id (RFC 9106), version 0x13.
#pragma once

#include <atomic>

#include "crypto/base/bytes.h"
#include "crypto/base/result.h"
#include "crypto/kdf/kdf_parameters.h"

namespace volt {

// The RFC's optional inputs, which no volume format here uses.
struct Argon2Extras {
  ByteSpan secret;
  ByteSpan associated_data;
};

// Fills `out` (any length from 4 on; the output depends on the length). Works in
// parameters.memory_kib of memory, which is excluded from core dumps and wiped but not locked: it
// is more than most limits allow. One thread, whatever the parallelism. Looks at `*cancel` (may be
// null) every few milliseconds and returns `cancelled`. Errors: invalid_argument (parameters out of
// the RFC's range), no_memory. Thread-safe.
Status argon2id(const Argon2Parameters& parameters, ByteSpan password, ByteSpan salt,
                MutableByteSpan out, const std::atomic<bool>* cancel = nullptr,
                const Argon2Extras& extras = {});

}  // namespace volt
