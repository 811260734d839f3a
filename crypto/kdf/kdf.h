// Derivation of header keys from a password and a salt.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "crypto/base/bytes.h"
#include "crypto/base/result.h"
#include "crypto/kdf/kdf_parameters.h"

namespace volt {

inline constexpr std::size_t max_header_key_bytes = 256;  // largest key area

// Fills `key` (at most max_header_key_bytes) from `password` and `salt` with the function and the
// work that `parameters` state (PBKDF2-HMAC: RFC 8018, 5.2; Argon2id: RFC 9106).
// Checks `*cancel` (may be null) at least every 50 ms or so and returns `cancelled`.
// Errors: invalid_argument (no iterations, memory or lanes out of Argon2id's range, length of the
// key), no_memory (Argon2id), not_supported (PRF not built in). Thread-safe.
Status derive_key(const KdfParameters& parameters, ByteSpan password, ByteSpan salt,
                  MutableByteSpan key, const std::atomic<bool>* cancel = nullptr);

// One derivation of a batch.
struct KdfJob {
  ByteSpan salt;
  MutableByteSpan key;         // with skip_bytes, at most max_header_key_bytes
  std::size_t skip_bytes = 0;  // of the derived key, what comes before `key` and is not wanted
};

// As derive_key, for several salts (primary, hidden and backup headers) at once: the output blocks
// of all jobs run side by side in SIMD lanes, which costs much less than one job after another.
// With Argon2id the jobs run one after another. On an error no key is valid.
Status derive_keys(const KdfParameters& parameters, ByteSpan password, std::span<const KdfJob> jobs,
                   const std::atomic<bool>* cancel = nullptr);

// About how many nanoseconds of one core derive_keys() takes for these jobs with the kernels that
// this processor has: for planning, right to a factor of two or so, ratios better than that. Only
// the lengths of the jobs count. 0 where derive_keys() would fail.
double derivation_cost_ns(const KdfParameters& parameters, std::span<const KdfJob> jobs);

// HMAC of one message, for vectors. `tag` must have the PRF's output length.
Status hmac(PrfId prf, ByteSpan key, ByteSpan message, MutableByteSpan tag);
std::size_t prf_output_bytes(PrfId prf) noexcept;

}  // namespace volt
