// A fixed set of aligned buffers that requests borrow: no allocation after the start.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "crypto/base/bytes.h"
#include "crypto/base/result.h"
#include "crypto/base/secure_buffer.h"

namespace volt {

// What the buffers will hold. Users may lock only a few megabytes: what is no secret leaves them to
// what is.
enum class BufferContent : std::uint8_t { secret, ciphertext };

// Thread contract: acquire() and the return of a lease from any threads at once. The pool outlives
// its leases. The most recently returned buffers are lent first, so that they are warm in cache.
class BufferPool {
 public:
  static constexpr unsigned max_buffers = 64;

  // A borrowed buffer; goes back when the lease dies. Contents are whatever was left in it.
  class Lease {
   public:
    Lease(Lease&& other) noexcept : pool_(other.pool_), index_(other.index_) {
      other.pool_ = nullptr;
    }
    Lease& operator=(Lease&&) = delete;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->release(index_);
    }
    MutableByteSpan span() const noexcept { return pool_->buffer(index_); }
    std::uint8_t* data() const noexcept { return span().data(); }
    std::size_t size() const noexcept { return pool_->buffer_bytes_; }

   private:
    friend class BufferPool;
    Lease(BufferPool* pool, unsigned index) noexcept : pool_(pool), index_(index) {}
    BufferPool* pool_;
    unsigned index_;
  };

  // `buffer_bytes` is rounded up to whole pages, `buffers` is 1..max_buffers. Memory is wiped when
  // the pool dies, and locked if it is for secrets. Errors: invalid_argument, no_memory.
  static Result<BufferPool> create(std::size_t buffer_bytes, unsigned buffers,
                                   BufferContent content = BufferContent::secret) noexcept;
  BufferPool() noexcept = default;
  // Only while nothing is lent.
  BufferPool(BufferPool&& other) noexcept;
  BufferPool& operator=(BufferPool&& other) noexcept;

  // Waits while all are lent. Never hold one lease of a pool while asking it for another.
  Lease acquire() noexcept;
  std::size_t buffer_bytes() const noexcept { return buffer_bytes_; }

 private:
  void release(unsigned index) noexcept;
  MutableByteSpan buffer(unsigned index) noexcept {
    return {memory_.data() + std::size_t{index} * buffer_bytes_, buffer_bytes_};
  }

  SecureBuffer memory_;
  std::size_t buffer_bytes_ = 0;
  std::atomic<std::uint64_t> free_{0};  // bit i: buffer i is free
};

}  // namespace volt
