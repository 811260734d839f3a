// Waiting for a child that may not want to end.
#pragma once

#include <sys/types.h>

namespace volt {

// Waits for a child to end: after `patience_ms` it is sent SIGTERM, two seconds later SIGKILL.
// False with errno where it cannot be waited for; `*status` is as waitpid(2) gives it, `*ended`
// says whether a signal of ours was needed.
bool wait_bounded(pid_t child, int patience_ms, int* status, bool* ended) noexcept;

}  // namespace volt
