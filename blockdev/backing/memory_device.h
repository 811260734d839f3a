// Bytes in memory: for tests, benchmarks and trials.
#pragma once

#include <array>
#include <shared_mutex>

#include "blockdev/device/block_device.h"

namespace volt {

// Zero-filled at birth, lazily backed by the kernel. Requests that overlap exclude one another in
// pieces of 64 KiB, so that nothing is torn below one. Discarded ranges read back as zeros.
class MemoryDevice final : public BlockDevice {
 public:
  // `alignment_bytes` is what the device demands of requests (a power of two), for playing a disk.
  // Errors: invalid_argument, no_memory.
  static Result<DevicePtr> create(std::uint64_t size_bytes,
                                  std::uint32_t alignment_bytes = 1) noexcept;
  ~MemoryDevice() override;

 private:
  static constexpr std::uint64_t chunk_bytes = 65536;
  static constexpr std::size_t lock_count = 64;

  MemoryDevice(const Geometry& geometry, std::uint8_t* memory) noexcept
      : BlockDevice(geometry), memory_(memory) {}
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_flush() noexcept override { return {}; }
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;
  std::shared_mutex& lock_of(std::uint64_t offset) noexcept {
    return locks_[(offset / chunk_bytes) % lock_count];
  }

  std::uint8_t* memory_;
  std::array<std::shared_mutex, lock_count> locks_;
};

}  // namespace volt
