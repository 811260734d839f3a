// Memory with an inaccessible page on both sides: touching a byte outside ends the test.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

namespace volt {

class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t size) : size_(size) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    inner_bytes_ = (size + page - 1) / page * page;
    mapped_bytes_ = inner_bytes_ + 2 * page;
    void* mapped = mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    mapped_ = static_cast<std::uint8_t*>(mapped);
    if (inner_bytes_ > 0 && mprotect(mapped_ + page, inner_bytes_, PROT_READ | PROT_WRITE) != 0) {
      munmap(mapped, mapped_bytes_);
      throw std::bad_alloc();
    }
    inner_ = mapped_ + page;
  }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  ~GuardedBuffer() { munmap(mapped_, mapped_bytes_); }

  // `size` bytes that begin right after the first guard, or end right before the second.
  std::uint8_t* at_start() noexcept { return inner_; }
  std::uint8_t* at_end() noexcept { return inner_ + inner_bytes_ - size_; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_ = 0;
  std::size_t inner_bytes_ = 0;
  std::size_t mapped_bytes_ = 0;
  std::uint8_t* mapped_ = nullptr;
  std::uint8_t* inner_ = nullptr;
};

}  // namespace volt
