#include "tools/bench_data.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tools/bench_clock.h"
#include "tools/bench_workload.h"

namespace volt {
namespace {

constexpr std::size_t stamp_bytes = 4096;
constexpr std::size_t rate_buffer_bytes = std::size_t{16} << 20;

template <class Function>
double bytes_per_second(Function run, std::size_t bytes) {
  run();  // page faults happen here
  double best_ns = 0;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t start = now_ns();
    run();
    const auto elapsed = static_cast<double>(std::max<std::uint64_t>(1, now_ns() - start));
    best_ns = best_ns == 0 ? elapsed : std::min(best_ns, elapsed);
  }
  return static_cast<double>(bytes) * 1e9 / best_ns;
}

}  // namespace

Result<AlignedBuffer> AlignedBuffer::create(std::size_t size) noexcept {
  AlignedBuffer buffer;
  if (size == 0) return buffer;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return error_from_errno("allocating the tester's buffers", errno);
  buffer.data_ = static_cast<std::uint8_t*>(memory);
  buffer.size_ = size;
  return buffer;
}

AlignedBuffer::AlignedBuffer(AlignedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

AlignedBuffer::~AlignedBuffer() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

// Four independent streams, so that the multiplications overlap.
void fill_incompressible(MutableByteSpan out, std::uint64_t seed) noexcept {
  std::uint64_t state[4];
  for (std::uint64_t& lane : state) lane = next_random(seed);
  std::size_t at = 0;
  for (; at + 32 <= out.size(); at += 32) {
    std::uint64_t words[4];
    for (int lane = 0; lane < 4; ++lane) words[lane] = next_random(state[lane]);
    std::memcpy(out.data() + at, words, 32);
  }
  for (; at < out.size(); ++at) out[at] = static_cast<std::uint8_t>(next_random(state[0]));
}

void stamp_unique(MutableByteSpan out, std::uint64_t serial) noexcept {
  for (std::size_t at = 0; at + 8 <= out.size(); at += stamp_bytes) {
    const std::uint64_t stamp = (serial + at) * 0x9E3779B97F4A7C15U;
    std::memcpy(out.data() + at, &stamp, 8);
  }
}

double measure_generator_rate() {
  auto buffer = AlignedBuffer::create(rate_buffer_bytes);
  if (!buffer) return 0;
  return bytes_per_second(
      [&] {
        fill_incompressible({buffer->data(), buffer->size()}, 1);
      },
      buffer->size());
}

double measure_memory_rate() {
  auto from = AlignedBuffer::create(rate_buffer_bytes);
  auto to = AlignedBuffer::create(rate_buffer_bytes);
  if (!from || !to) return 0;
  return bytes_per_second(
      [&] {
        std::memcpy(to->data(), from->data(), from->size());
        // The copy must happen although nobody reads it.
        asm volatile("" : : "r"(to->data()) : "memory");
      },
      from->size());
}

}  // namespace volt
