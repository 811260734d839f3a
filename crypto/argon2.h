// Argon2id (RFC 9106), version 0x13, without secret and associated data.
#pragma once

#include <atomic>

#include "crypto/bytes.h"
#include "crypto/kdf_spec.h"
#include "crypto/result.h"

namespace volt {

// Fills `out` (any length from 4 on; the output depends on the length). Works in
// parameters.memory_kib of memory, which is excluded from core dumps and wiped but not locked: it
// is more than most limits allow. One thread, whatever the parallelism. Looks at `*cancel` (may be
// null) every few milliseconds and returns `cancelled`. Errors: invalid_argument (parameters out of
// the RFC's range), no_memory. Thread-safe.
Status argon2id(const Argon2Parameters& parameters, ByteSpan password, ByteSpan salt,
                MutableByteSpan out, const std::atomic<bool>* cancel = nullptr);

}  // namespace volt
