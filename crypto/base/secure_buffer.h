// Memory for keys, passwords and key schedules.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto/base/bytes.h"
#include "crypto/base/result.h"

namespace volt {

// Overwrites `size` bytes with zeros; the compiler may not drop it (explicit_bzero).
void secure_wipe(void* data, std::size_t size) noexcept;

// True if the `size` bytes are equal. Time depends on `size` only.
bool secure_equal(const void* a, const void* b, std::size_t size) noexcept;

// Move-only bytes, page-aligned: locked in memory where the limits allow (`locked()` tells),
// excluded from core dumps (MADV_DONTDUMP), wiped before they are unmapped. Zero-filled at birth.
// Locks do not survive fork(2): a daemon forks first and unlocks the volume afterwards.
// Thread contract: as a std::vector's.
class SecureBuffer {
 public:
  SecureBuffer() noexcept = default;
  // Allocates; the only failure is no_memory.
  static Result<SecureBuffer> create(std::size_t size) noexcept;
  // The same for megabytes that a disk reads and writes: on a border of 2 MiB, in pages of that
  // size where the system gives them, so that few pieces make up a request.
  static Result<SecureBuffer> create_large(std::size_t size) noexcept;
  static Result<SecureBuffer> copy_of(ByteSpan bytes) noexcept;
  SecureBuffer(SecureBuffer&& other) noexcept;
  SecureBuffer& operator=(SecureBuffer&& other) noexcept;
  SecureBuffer(const SecureBuffer&) = delete;
  SecureBuffer& operator=(const SecureBuffer&) = delete;
  ~SecureBuffer();

  std::uint8_t* data() noexcept { return data_; }
  const std::uint8_t* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  bool locked() const noexcept { return locked_; }
  MutableByteSpan span() noexcept { return {data_, size_}; }
  ByteSpan span() const noexcept { return {data_, size_}; }

  // Makes the buffer shorter, wiping what falls off. `size` must not exceed size().
  void shrink(std::size_t size) noexcept;

 private:
  static Result<SecureBuffer> map(std::size_t size, bool large) noexcept;
  void release() noexcept;

  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_bytes_ = 0;
  bool locked_ = false;
};

}  // namespace volt
