#include "crypto/kdf/hashes/hash.h"

#include <algorithm>

#include "crypto/base/secure_buffer.h"

namespace volt {

Hasher::~Hasher() {
  secure_wipe(&state_, sizeof state_);
  secure_wipe(buffer_.data(), buffer_.size());
}

void Hasher::update(ByteSpan bytes) noexcept {
  while (!bytes.empty()) {
    if (buffered_ == row_.block_bytes) {  // more follows: this block is not the last
      row_.absorb(state_, buffer_.data(), total_bytes_);
      buffered_ = 0;
    }
    const std::size_t taken = std::min(bytes.size(), row_.block_bytes - buffered_);
    std::copy_n(bytes.begin(), taken, buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_));
    buffered_ += taken;
    total_bytes_ += taken;
    bytes = bytes.subspan(taken);
  }
}

void Hasher::finish(std::uint8_t* digest) noexcept {
  row_.finish(state_, buffer_.data(), buffered_, total_bytes_, digest);
}

HmacKey::HmacKey(const HashRow& row, ByteSpan key) noexcept {
  std::array<std::uint8_t, max_hash_block_bytes> block{};
  if (key.size() > row.block_bytes) {
    Hasher hasher(row);
    hasher.update(key);
    hasher.finish(block.data());
  } else {
    std::copy(key.begin(), key.end(), block.begin());
  }
  for (std::uint8_t& byte : block) byte ^= 0x36;
  row.start(inner);
  row.absorb(inner, block.data(), row.block_bytes);
  for (std::uint8_t& byte : block) byte ^= 0x36 ^ 0x5C;
  row.start(outer);
  row.absorb(outer, block.data(), row.block_bytes);
  secure_wipe(block.data(), block.size());
}

HmacKey::~HmacKey() {
  secure_wipe(this, sizeof *this);
}

void hmac_parts(const HashRow& row, const HmacKey& key, ByteSpan first, ByteSpan second,
                std::uint8_t* tag) noexcept {
  std::array<std::uint8_t, max_digest_bytes> digest;
  Hasher inner(row, key.inner, row.block_bytes);
  inner.update(first);
  inner.update(second);
  inner.finish(digest.data());
  Hasher outer(row, key.outer, row.block_bytes);
  outer.update({digest.data(), row.digest_bytes});
  outer.finish(tag);
  secure_wipe(digest.data(), digest.size());
}

}  // namespace volt
