// The hashes of the formats' key derivations, and HMAC (RFC 2104) on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "crypto/base/bytes.h"
#include "crypto/kdf/prf_id.h"

namespace volt {

inline constexpr std::size_t max_hash_block_bytes = 128;
inline constexpr std::size_t max_digest_bytes = 64;

// The chaining value: the hash's words in native order, from the first byte on. Streebog keeps h, N
// and Sigma, eight words each.
struct HashState {
  alignas(64) std::array<std::uint64_t, 24> words;
};

// One hash. All functions are pure but for the state that they are given.
struct HashRow {
  PrfId prf;
  std::size_t block_bytes;
  std::size_t digest_bytes;
  void (*start)(HashState& state);
  // One block that is not the message's last; `total_bytes` counts the message up to its end.
  void (*absorb)(HashState& state, const std::uint8_t* block, std::uint64_t total_bytes);
  // The message's end, 0 to block_bytes bytes long, and the digest. Destroys the state.
  void (*finish)(HashState& state, const std::uint8_t* tail, std::size_t tail_bytes,
                 std::uint64_t total_bytes, std::uint8_t* digest);
};

// Null for Argon2id, which is no hash.
const HashRow* find_hash(PrfId prf) noexcept;

// Hashes a message that comes in pieces. Wipes itself. Thread contract: one thread at a time.
class Hasher {
 public:
  explicit Hasher(const HashRow& row) noexcept : row_(row) { row.start(state_); }
  // Goes on from `state`, which has absorbed `absorbed_bytes` (whole blocks).
  Hasher(const HashRow& row, const HashState& state, std::uint64_t absorbed_bytes) noexcept
      : row_(row), state_(state), total_bytes_(absorbed_bytes) {}
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  ~Hasher();

  void update(ByteSpan bytes) noexcept;
  // `digest` takes row.digest_bytes. The object is used up.
  void finish(std::uint8_t* digest) noexcept;

 private:
  const HashRow& row_;
  HashState state_;
  std::array<std::uint8_t, max_hash_block_bytes> buffer_;
  std::size_t buffered_ = 0;
  std::uint64_t total_bytes_ = 0;
};

// The two states of HMAC after the padded key. Wipes itself.
struct HmacKey {
  HashState inner;
  HashState outer;

  HmacKey(const HashRow& row, ByteSpan key) noexcept;
  HmacKey(const HmacKey&) = delete;
  HmacKey& operator=(const HmacKey&) = delete;
  ~HmacKey();
};

// HMAC of the two parts one after the other; `tag` takes row.digest_bytes.
void hmac_parts(const HashRow& row, const HmacKey& key, ByteSpan first, ByteSpan second,
                std::uint8_t* tag) noexcept;

}  // namespace volt
