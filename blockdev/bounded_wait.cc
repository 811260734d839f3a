#include "blockdev/bounded_wait.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

#include "blockdev/file_descriptor.h"

namespace volt {
namespace {

constexpr int after_term_ms = 2000;

long now_ms() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// Whether the process behind the descriptor ends within that time.
bool ends_within(int process_fd, int milliseconds) noexcept {
  const long end = now_ms() + milliseconds;
  for (;;) {
    const long left = end - now_ms();
    pollfd ready = {process_fd, POLLIN, 0};
    const int count = poll(&ready, 1, left > 0 ? static_cast<int>(left) : 0);
    if (count > 0) return true;
    if (count == 0 || errno != EINTR) return false;
  }
}

}  // namespace

bool wait_bounded(pid_t child, int patience_ms, int* status, bool* ended) noexcept {
  *ended = false;
  const FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, child, 0U)));
  // Without one (a kernel before 5.3, a filter of system calls) it is killed at once.
  if (!process || !ends_within(process.get(), patience_ms)) {
    *ended = true;
    kill(child, SIGTERM);
    if (!process || !ends_within(process.get(), after_term_ms)) kill(child, SIGKILL);
  }
  while (waitpid(child, status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

}  // namespace volt
