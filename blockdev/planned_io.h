// A request taken apart down to the one transfer on a file that it comes to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "crypto/bytes.h"

namespace volt {

// Filled by BlockDevice::plan() from the top layer down; whoever asked does the transfer (read or
// write `memory` at `offset` of `fd`) and hands the outcome to BlockDevice::finish(). What stands
// behind "for finish" is the layers' own. One owner; it must not be copied while it is planned.
struct PlannedIo {
  bool write = false;
  std::uint64_t offset = 0;  // of the layer that looks at it; in the end, of the file
  MutableByteSpan memory;    // a write's is encrypted in place
  int fd = -1;

  // For finish:
  std::array<std::size_t, 2> range_slots{};  // of the range locks held, the last taken last
  unsigned ranges_held = 0;
  std::uint64_t encrypted_offset = 0;  // of the layer that encrypts
  std::uint64_t start_ns = 0;
};

}  // namespace volt
