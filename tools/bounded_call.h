// Calls that a stuck file system must not turn into a hang.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "crypto/result.h"

namespace volt {

// What a bounded call gives: an errno (0: done) and text.
struct CallOutcome {
  int sys_errno = 0;
  std::string text;
};

inline constexpr std::size_t max_outcome_bytes = 1048576;  // of text; the rest is dropped

// Runs `call` in a child process and waits at most `limit`. A child that is still stuck then is
// killed and left behind: a process that waits for a file system that does not answer cannot always
// be ended, but this one goes on. The child has no standard streams. Errors: io with errno
// ETIMEDOUT; no_memory (no process).
Result<CallOutcome> run_bounded(std::chrono::milliseconds limit,
                                const std::function<CallOutcome()>& call);

}  // namespace volt
