#include "blockdev/backing/direct_io.h"

#include <cstdlib>

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "blockdev/device/io_range.h"

namespace volt {

namespace {

constexpr std::uint32_t max_block_bytes = 65536;

// Fills the limits from statx; false where the kernel does not tell.
bool ask_kernel(int fd, DirectIoLimits* limits) noexcept {
#ifdef STATX_DIOALIGN
  struct statx info {};
  if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &info) != 0) return false;
  if ((info.stx_mask & STATX_DIOALIGN) == 0) return false;
  limits->offset_alignment = info.stx_dio_offset_align;
  limits->memory_alignment = info.stx_dio_mem_align;
  return true;
#else
  static_cast<void>(fd);
  static_cast<void>(limits);
  return false;
#endif
}

bool read_works(int fd, std::uint32_t block_bytes, std::uint64_t size_bytes) noexcept {
  if (size_bytes < 2ULL * block_bytes) return false;
  void* memory = nullptr;
  if (posix_memalign(&memory, max_block_bytes, block_bytes) != 0) return false;
  // At offset one block: at 0 any alignment would do.
  const ssize_t got = pread(fd, memory, block_bytes, block_bytes);
  std::free(memory);
  return got == static_cast<ssize_t>(block_bytes);
}

bool set_direct(int fd, bool on) noexcept {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return false;
  return fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

// The limits to try first; zero offset_alignment: none known.
DirectIoLimits known_limits(int fd, bool block_device) noexcept {
  DirectIoLimits limits;
  if (ask_kernel(fd, &limits)) return limits;
  int logical_bytes = 0;
  if (block_device && ioctl(fd, BLKSSZGET, &logical_bytes) == 0 && logical_bytes > 0) {
    limits.offset_alignment = static_cast<std::uint32_t>(logical_bytes);
    limits.memory_alignment = limits.offset_alignment;
  }
  return limits;
}

}  // namespace

bool file_system_in_memory(int fd) noexcept {
  struct statfs info {};
  if (fstatfs(fd, &info) != 0) return false;
  return info.f_type == TMPFS_MAGIC || info.f_type == RAMFS_MAGIC;
}

DirectIoLimits enable_direct_io(int fd, bool block_device, std::uint64_t size_bytes,
                                bool insist) noexcept {
  // A block device's node lies in /dev, which is in memory; the device is not.
  if (!block_device && file_system_in_memory(fd)) return {};
  DirectIoLimits limits = known_limits(fd, block_device);
  const bool known = limits.offset_alignment != 0;
  if (!known && !insist) return {};
  if (!set_direct(fd, true)) return {};
  if (!known) {
    limits.offset_alignment = read_works(fd, 512, size_bytes) ? 512 : 4096;
    limits.memory_alignment = limits.offset_alignment;
  }
  limits.usable =
      is_power_of_two(limits.offset_alignment) && is_power_of_two(limits.memory_alignment) &&
      limits.offset_alignment <= max_block_bytes && limits.memory_alignment <= max_block_bytes &&
      size_bytes % limits.offset_alignment == 0 &&
      read_works(fd, limits.offset_alignment, size_bytes);
  if (!limits.usable) {
    set_direct(fd, false);
    return {};
  }
  return limits;
}

}  // namespace volt
