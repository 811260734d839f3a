// How much memory this process may still take.
#pragma once

#include <cstdint>
#include <string>

namespace volt {

// The least of what the system has available (MemAvailable) and what the control groups of this
// process leave it (versions 1 and 2, and the groups above; their page cache counts as free).
// UINT64_MAX where nothing is known: let the allocation decide. `root` stands before /proc and
// /sys, for tests. Any thread.
std::uint64_t available_memory_bytes(const std::string& root = "");

}  // namespace volt
