// Ctrl-C and termination as a flag that long work looks at.
#pragma once

#include <atomic>

namespace volt {

// Makes SIGINT, SIGTERM and SIGHUP set the flag instead of ending the process (a second SIGINT
// ends it). Returns the flag; it lives as long as the process. Idempotent.
const std::atomic<bool>& catch_interrupts();

}  // namespace volt
