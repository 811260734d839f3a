// A request taken apart down to the one transfer on a file that it comes to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "crypto/bytes.h"

namespace volt {

class RangeLock;

// Filled by BlockDevice::plan() from the top layer down; whoever asked does the transfer (read or
// write `memory` at `offset` of `fd`) and hands the outcome to BlockDevice::finish(). What stands
// behind "for finish" is the layers' own. One owner; it must not be copied while it is planned.
struct PlannedIo {
  bool write = false;
  std::uint64_t offset = 0;  // of the layer that looks at it; in the end, of the file
  MutableByteSpan memory;    // a write's is encrypted in place
  int fd = -1;

  // For finish:
  struct HeldRange {
    RangeLock* lock = nullptr;
    std::size_t slot = 0;
  };
  std::array<HeldRange, 2> held;  // the last `held_ranges` locked
  unsigned held_ranges = 0;
  std::uint64_t first_unit = 0;  // number of the first data unit
  std::uint64_t start_ns = 0;
};

}  // namespace volt
