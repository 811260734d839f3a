// Finding out whether, and how, a descriptor can bypass the page cache.
#pragma once

#include <cstdint>

namespace volt {

// What direct I/O demands there; `usable` false: buffered only.
struct DirectIoLimits {
  bool usable = false;
  std::uint32_t offset_alignment = 0;
  std::uint32_t memory_alignment = 0;
};

// The file lies on tmpfs or ramfs. (A block device's node in /dev does too; its data does not.)
bool file_system_in_memory(int fd) noexcept;

// Asks the kernel (statx, STATX_DIOALIGN, since 6.1), else the block device (logical block size),
// else, only where `insist`, tries reads of 512 and 4096 bytes. Where it is usable the descriptor
// is left in direct mode; a trial read has then succeeded. Memory file systems accept the flag and
// do nothing with it: they count as buffered.
DirectIoLimits enable_direct_io(int fd, bool block_device, std::uint64_t size_bytes,
                                bool insist) noexcept;

}  // namespace volt
