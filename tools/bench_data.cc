#include "tools/bench_data.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "blockdev/io_range.h"
#include "crypto/random.h"
#include "tools/bench_clock.h"
#include "tools/bench_workload.h"

namespace volt {
namespace {

constexpr std::size_t stamp_bytes = 4096;
constexpr std::size_t rate_buffer_bytes = std::size_t{16} << 20;
constexpr std::size_t large_page_bytes = std::size_t{2} << 20;
constexpr std::size_t least_for_large_pages = std::size_t{512} << 10;

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

// Large pages where there are some: a block of 1 MiB is then one piece of memory for the device
// instead of up to 256, which many can only take as several requests.
Result<AlignedBuffer> AlignedBuffer::create(std::size_t size) noexcept {
  AlignedBuffer buffer;
  if (size == 0) return buffer;
  const bool large = size >= least_for_large_pages;
  const std::size_t alignment = large ? large_page_bytes : 1;
  const std::size_t mapped = align_up(size, alignment) + (large ? large_page_bytes : 0);
  void* memory =
      ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return error_from_errno("allocating the tester's buffers", errno);
  buffer.mapping_ = memory;
  buffer.mapped_bytes_ = mapped;
  auto* first = static_cast<std::uint8_t*>(memory);
  first += align_up(reinterpret_cast<std::size_t>(first), alignment) -
           reinterpret_cast<std::size_t>(first);
  buffer.data_ = first;
  buffer.size_ = size;
  if (large) ::madvise(first, align_up(size, large_page_bytes), MADV_HUGEPAGE);
  std::memset(first, 0, size);  // page faults happen here, outside any clock
  return buffer;
}

AlignedBuffer::AlignedBuffer(AlignedBuffer&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

AlignedBuffer::~AlignedBuffer() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_bytes_);
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

std::uint64_t fresh_data_seed() noexcept {
  std::uint64_t seed = 0;
  std::array<std::uint8_t, sizeof seed> bytes{};
  // Where the kernel gives none, the clock is still another one at each call.
  if (!random_bytes(bytes).ok()) return now_ns() * 0x9E3779B97F4A7C15U;
  std::memcpy(&seed, bytes.data(), sizeof seed);
  return seed;
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
