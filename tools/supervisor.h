// A process that outlives what the kernel keeps busy.
#pragma once

#include <functional>

namespace volt {

// Runs `body` in a child process and returns its result as soon as it is known. Requests that hang
// in the kernel keep a process from ending, whatever it does; here they keep the child, and the
// program ends all the same. SIGINT, SIGTERM and SIGHUP are handed on to the child, which dies with
// this process. Otherwise the child's end is waited for. Returns 128 + the signal that ended it,
// and says which unless it was asked for; for SIGBUS, which a mapped file gives when it is cut,
// exit_wrong_device (exit_status.h). Call it before any thread is started.
int run_supervised(const std::function<int()>& body);

}  // namespace volt
