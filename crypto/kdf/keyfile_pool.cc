#include "crypto/kdf/keyfile_pool.h"

#include <algorithm>

#include "crypto/base/crc32.h"

namespace volt {
namespace {

constexpr std::size_t small_pool_bytes = 64;
constexpr std::size_t large_pool_bytes = 128;

void add_crc(std::uint8_t* pool, std::size_t pool_bytes, std::uint32_t position,
             std::uint32_t crc) noexcept {
  for (unsigned i = 0; i < 4; ++i) {
    std::uint8_t& byte = pool[(position + i) % pool_bytes];
    byte = static_cast<std::uint8_t>(byte + ((crc >> (24 - 8 * i)) & 0xFF));
  }
}

}  // namespace

Result<KeyfilePool> KeyfilePool::create() {
  auto pools = SecureBuffer::create(small_pool_bytes + large_pool_bytes);
  if (!pools) return pools.error();
  KeyfilePool pool;
  pool.pools_ = *std::move(pools);
  return pool;
}

void KeyfilePool::add_bytes(ByteSpan bytes) noexcept {
  const std::size_t count = std::min<std::size_t>(bytes.size(), keyfile_max_bytes - consumed_);
  for (const std::uint8_t byte : bytes.first(count)) {
    crc_ = crc32_update(crc_, byte);
    add_crc(pools_.data(), small_pool_bytes, position_, crc_);
    add_crc(pools_.data() + small_pool_bytes, large_pool_bytes, position_, crc_);
    position_ = (position_ + 4) % large_pool_bytes;
  }
  consumed_ += static_cast<std::uint32_t>(count);
}

void KeyfilePool::end_file() noexcept {
  ++files_;
  crc_ = 0xFFFFFFFFU;
  position_ = 0;
  consumed_ = 0;
}

Result<SecureBuffer> KeyfilePool::apply(std::size_t max_bytes, ByteSpan password) const {
  if (password.size() > max_bytes) {
    return Error{ErrorCode::invalid_argument, 0, "password too long for the format",
                 password.size()};
  }
  if (files_ == 0) return SecureBuffer::copy_of(password);
  const bool small = password.size() <= small_pool_bytes;
  const ByteSpan pool = small ? pools_.span().first(small_pool_bytes)
                              : pools_.span().subspan(small_pool_bytes, large_pool_bytes);
  auto mixed = SecureBuffer::copy_of(pool);
  if (!mixed) return mixed.error();
  for (std::size_t i = 0; i < password.size(); ++i) {
    mixed->data()[i] = static_cast<std::uint8_t>(mixed->data()[i] + password[i]);
  }
  return mixed;
}

}  // namespace volt
