// Leaving the terminal: the parent waits on a pipe until the child is ready or has failed.
#pragma once

#include <utility>

#include "blockdev/host/file_descriptor.h"
#include "crypto/base/result.h"

namespace volt {

// Memory locks do not survive fork(2), so the child is made before any secret is read. It keeps
// the terminal and standard error until it is ready.
class Launch {
 public:
  // Forks unless `foreground`. Returns in the child (or the foreground process) only: the parent
  // exits with 0 when the child is ready, else with the child's exit status.
  static Result<Launch> start(bool foreground);

  // In a child: a session of its own, streams to /dev/null, messages to syslog; lets the parent go.
  Status ready();

 private:
  explicit Launch(FileDescriptor pipe) noexcept : pipe_(std::move(pipe)) {}

  FileDescriptor pipe_;  // none: foreground
};

}  // namespace volt
