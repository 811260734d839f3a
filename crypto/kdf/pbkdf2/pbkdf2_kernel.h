// Inner loops of PBKDF2-HMAC (RFC 8018, 5.2), several independent output blocks at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto/kdf/prf_id.h"

namespace volt {

// One row: one hash on one instruction set. All lanes have the same password, hence the same two
// keyed states; their salts and block numbers differ.
struct Pbkdf2Kernel {
  PrfId prf;
  const char* name;                 // "portable", "avx2", "avx512", "sha"
  std::uint32_t required_features;  // set of CpuFeature
  std::uint16_t lanes;
  // Time of one iteration of all lanes in nanoseconds, as measured on a Zen 5 at 4 GHz: what the
  // planner weighs against lanes that would stand idle.
  std::uint16_t cost_ns;
  // `count` times: u = HMAC(u), t ^= u. `inner` and `outer` are hash states (hash.h) after the
  // padded key's block; u and t are lanes x digest bytes, lane after lane.
  void (*iterate)(const void* inner, const void* outer, std::uint8_t* u, std::uint8_t* t,
                  std::uint32_t count);
  // Tables in memory, read at addresses that depend on secrets: only where there is nothing else.
  bool reads_tables = false;
};

}  // namespace volt
