#include "blockdev/backing/memory_device.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>

#include <sys/mman.h>

#include "blockdev/device/io_range.h"

namespace volt {

namespace {

// Calls part(done, bytes) for each piece of a request that lies in one chunk.
template <class Part>
void for_each_chunk(std::uint64_t offset, std::uint64_t length, std::uint64_t chunk_bytes,
                    Part part) noexcept {
  for (std::uint64_t done = 0; done < length;) {
    const std::uint64_t to_border = chunk_bytes - (offset + done) % chunk_bytes;
    const std::uint64_t bytes = std::min(to_border, length - done);
    part(done, bytes);
    done += bytes;
  }
}

}  // namespace

Result<DevicePtr> MemoryDevice::create(std::uint64_t size_bytes,
                                       std::uint32_t alignment_bytes) noexcept {
  if (!is_power_of_two(alignment_bytes) || size_bytes % alignment_bytes != 0) {
    return Error{ErrorCode::invalid_argument, 0, "memory device", size_bytes};
  }
  void* memory = nullptr;
  if (size_bytes != 0) {
    memory = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return error_from_errno("memory device", errno);
  }
  const Geometry geometry{.size_bytes = size_bytes,
                          .alignment_bytes = alignment_bytes,
                          .preferred_io_bytes = 131072,
                          .can_discard = true};
  auto* device = new (std::nothrow) MemoryDevice(geometry, static_cast<std::uint8_t*>(memory));
  if (device == nullptr) {
    if (memory != nullptr) munmap(memory, size_bytes);
    return Error{ErrorCode::no_memory, ENOMEM, "memory device", size_bytes};
  }
  return DevicePtr(device);
}

MemoryDevice::~MemoryDevice() {
  if (memory_ != nullptr) munmap(memory_, size());
}

Status MemoryDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  for_each_chunk(offset, buffer.size(), chunk_bytes, [&](std::uint64_t done, std::uint64_t bytes) {
    const std::shared_lock lock(lock_of(offset + done));
    std::memcpy(buffer.data() + done, memory_ + offset + done, bytes);
  });
  return {};
}

Status MemoryDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  for_each_chunk(offset, buffer.size(), chunk_bytes, [&](std::uint64_t done, std::uint64_t bytes) {
    const std::unique_lock lock(lock_of(offset + done));
    std::memcpy(memory_ + offset + done, buffer.data() + done, bytes);
  });
  return {};
}

Status MemoryDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  for_each_chunk(offset, length, chunk_bytes, [&](std::uint64_t done, std::uint64_t bytes) {
    const std::unique_lock lock(lock_of(offset + done));
    std::memset(memory_ + offset + done, 0, bytes);
  });
  return {};
}

}  // namespace volt
