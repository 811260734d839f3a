// How the volume is to be served.
#pragma once

#include <cstdint>

namespace volt {

enum class IoEngine : std::uint8_t { automatic, threads, io_uring };

struct Serving {
  unsigned at_once = 0;  // requests; 0: what is best
  IoEngine engine = IoEngine::automatic;
  bool in_memory = false;  // the container: no request waits for a disk
  bool one_file = false;   // the container is one file or disk, read and written directly
};

}  // namespace volt
