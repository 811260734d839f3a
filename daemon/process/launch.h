// Leaving the terminal: the parent waits on a pipe until the child is ready or has failed.
#pragma once

#include "crypto/base/result.h"

namespace volt {

// Memory locks do not survive fork(2), so the child is made before any secret is read. It keeps
// the terminal and standard error until it is ready.
class Launch {
 public:
  // Forks unless `foreground`. Returns in the child (or the foreground process) only: the parent
  // exits with 0 when the child is ready, else with the child's exit status.
  static Result<Launch> start(bool foreground);
  Launch(Launch&& other) noexcept;
  Launch& operator=(Launch&&) = delete;
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  ~Launch();

  // In a child: a session of its own, streams to /dev/null, messages to syslog; lets the parent go.
  Status ready();

 private:
  explicit Launch(int pipe_fd) noexcept : pipe_fd_(pipe_fd) {}

  int pipe_fd_ = -1;  // -1: foreground
};

}  // namespace volt
