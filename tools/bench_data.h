// Memory for the tester's requests, and data that no layer below can compress or find twice.
#pragma once

#include <cstdint>

#include "crypto/bytes.h"
#include "crypto/result.h"

namespace volt {

// Page-aligned, touched, move-only, unmapped at the end. From 512 KiB on aligned to 2 MiB and in
// large pages where the system gives them.
class AlignedBuffer {
 public:
  AlignedBuffer() noexcept = default;
  static Result<AlignedBuffer> create(std::size_t size) noexcept;
  AlignedBuffer(AlignedBuffer&& other) noexcept;
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  ~AlignedBuffer();
  std::uint8_t* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

// Fills `out` with seeded noise. Called outside the clock only.
void fill_incompressible(MutableByteSpan out, std::uint64_t seed) noexcept;

// A seed for data that nothing has been filled with before, here or in any other process: random.
// The same bytes written a second time could be found by a layer that stores equal blocks once, or
// that does not write what stands there already. Thread-safe.
std::uint64_t fresh_data_seed() noexcept;

// Makes a buffer of noise differ from its last use: eight bytes in each 4096. Cheap enough to run
// inside the clock. `out` starts at a multiple of eight.
void stamp_unique(MutableByteSpan out, std::uint64_t serial) noexcept;

// Bytes a second of fill_incompressible and of memcpy here, over some milliseconds each.
double measure_generator_rate();
double measure_memory_rate();

}  // namespace volt
