#include "blockdev/device/buffer_pool.h"

#include <bit>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "blockdev/device/io_range.h"

namespace volt {

Result<BufferPool> BufferPool::create(std::size_t buffer_bytes, unsigned buffers,
                                      BufferContent content) noexcept {
  constexpr std::size_t max_buffer_bytes = std::size_t{1} << 30;
  if (buffers == 0 || buffers > max_buffers || buffer_bytes == 0 ||
      buffer_bytes > max_buffer_bytes) {
    return Error{ErrorCode::invalid_argument, 0, "buffer pool", buffer_bytes};
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  BufferPool pool;
  pool.buffer_bytes_ = align_up(buffer_bytes, page);
  auto memory = SecureBuffer::create(pool.buffer_bytes_ * buffers);
  if (!memory.ok()) return memory.error();
  pool.memory_ = *std::move(memory);
  // Locking has made the pages present; that much is kept.
  if (content == BufferContent::ciphertext) munlock(pool.memory_.data(), pool.memory_.size());
  pool.free_.store(buffers == max_buffers ? ~std::uint64_t{0} : (std::uint64_t{1} << buffers) - 1);
  return pool;
}

BufferPool::BufferPool(BufferPool&& other) noexcept
    : memory_(std::move(other.memory_)),
      buffer_bytes_(std::exchange(other.buffer_bytes_, 0)),
      free_(other.free_.exchange(0)) {}

BufferPool& BufferPool::operator=(BufferPool&& other) noexcept {
  memory_ = std::move(other.memory_);
  buffer_bytes_ = std::exchange(other.buffer_bytes_, 0);
  free_.store(other.free_.exchange(0));
  return *this;
}

BufferPool::Lease BufferPool::acquire() noexcept {
  std::uint64_t free = free_.load(std::memory_order_relaxed);
  for (;;) {
    if (free == 0) {
      free_.wait(0, std::memory_order_relaxed);
      free = free_.load(std::memory_order_relaxed);
      continue;
    }
    if (free_.compare_exchange_weak(free, free & (free - 1), std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      return {this, static_cast<unsigned>(std::countr_zero(free))};
    }
  }
}

void BufferPool::release(unsigned index) noexcept {
  const std::uint64_t before = free_.fetch_or(std::uint64_t{1} << index, std::memory_order_release);
  if (before == 0) free_.notify_all();
}

}  // namespace volt
