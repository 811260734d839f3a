// Where the used part of an outer volume's file system ends, so that a hidden volume fits behind
// it.
#pragma once

#include <cstdint>

#include "blockdev/device/block_device.h"
#include "crypto/base/result.h"

namespace volt {

// First byte of the volume behind which its file system holds nothing: the end of the last cluster
// in use. Knows FAT12, FAT16 and FAT32 (Microsoft's FAT specification of 2000, "FAT Data
// Structure"), which keep all their tables in front; other file systems spread theirs over the
// whole volume, and none is safe to cut.
// Errors: not_supported (not FAT), bad_header (FAT, but its fields contradict each other; named in
// Error::context), io.
Result<std::uint64_t> free_tail_begin(BlockDevice& volume);

}  // namespace volt
