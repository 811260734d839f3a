#include "crypto/secure_buffer.h"

#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "crypto/memory_lock.h"

namespace volt {

void secure_wipe(void* data, std::size_t size) noexcept {
  if (size != 0) explicit_bzero(data, size);
}

bool secure_equal(const void* a, const void* b, std::size_t size) noexcept {
  const auto* x = static_cast<const volatile std::uint8_t*>(a);
  const auto* y = static_cast<const volatile std::uint8_t*>(b);
  std::uint8_t difference = 0;
  for (std::size_t i = 0; i < size; ++i) {
    difference = static_cast<std::uint8_t>(difference | (x[i] ^ y[i]));
  }
  return difference == 0;
}

namespace {

constexpr std::size_t large_page_bytes = std::size_t{2} << 20;
constexpr std::size_t largest_secret_bytes = std::size_t{64} << 10;
std::atomic<bool> all_locked{true};

// Anonymous pages on a border of large pages; null: none to be had.
std::uint8_t* map_large(std::size_t bytes) noexcept {
  const std::size_t mapped = bytes + large_page_bytes;
  void* const memory =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::uint8_t*>(memory);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(begin) % large_page_bytes;
  const std::size_t head = past == 0 ? 0 : large_page_bytes - past;
  if (head != 0) munmap(begin, head);
  if (head != large_page_bytes) munmap(begin + head + bytes, large_page_bytes - head);
  // Before the pages are touched; refused: small ones do as well.
  madvise(begin + head, bytes, MADV_HUGEPAGE);
  return begin + head;
}

}  // namespace

bool secrets_are_locked() noexcept {
  return all_locked.load(std::memory_order_relaxed);
}

Result<SecureBuffer> SecureBuffer::create(std::size_t size) noexcept {
  return map(size, /*large=*/false);
}

Result<SecureBuffer> SecureBuffer::create_large(std::size_t size) noexcept {
  return map(size, /*large=*/true);
}

Result<SecureBuffer> SecureBuffer::map(std::size_t size, bool large) noexcept {
  SecureBuffer buffer;
  if (size == 0) return buffer;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (size > SIZE_MAX - page - 2 * large_page_bytes) {
    return Error{ErrorCode::no_memory, ENOMEM, "secure buffer", size};
  }
  const std::size_t mapped = (size + page - 1) / page * page;
  void* memory =
      large ? map_large(mapped)
            : mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || memory == nullptr) {
    return Error{ErrorCode::no_memory, errno, "secure buffer", size};
  }
  buffer.data_ = static_cast<std::uint8_t*>(memory);
  buffer.size_ = size;
  buffer.mapped_bytes_ = mapped;
  buffer.locked_ = mlock(memory, mapped) == 0;
  if (!buffer.locked_ && size <= largest_secret_bytes) {
    all_locked.store(false, std::memory_order_relaxed);
  }
  // Best effort: a kernel without it still has the process-wide setting of the daemon.
  madvise(memory, mapped, MADV_DONTDUMP);
  return buffer;
}

Result<SecureBuffer> SecureBuffer::copy_of(ByteSpan bytes) noexcept {
  auto buffer = create(bytes.size());
  if (buffer.ok() && !bytes.empty()) std::memcpy(buffer->data(), bytes.data(), bytes.size());
  return buffer;
}

SecureBuffer::SecureBuffer(SecureBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)),
      locked_(std::exchange(other.locked_, false)) {}

SecureBuffer& SecureBuffer::operator=(SecureBuffer&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    mapped_bytes_ = std::exchange(other.mapped_bytes_, 0);
    locked_ = std::exchange(other.locked_, false);
  }
  return *this;
}

SecureBuffer::~SecureBuffer() {
  release();
}

void SecureBuffer::shrink(std::size_t size) noexcept {
  assert(size <= size_);
  secure_wipe(data_ + size, size_ - size);
  size_ = size;
}

void SecureBuffer::release() noexcept {
  if (data_ == nullptr) return;
  secure_wipe(data_, mapped_bytes_);
  munmap(data_, mapped_bytes_);
  data_ = nullptr;
  size_ = 0;
  mapped_bytes_ = 0;
  locked_ = false;
}

}  // namespace volt
