#include "daemon/process/launch.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <utility>

#include "blockdev/host/child.h"
#include "blockdev/host/exit_status.h"
#include "daemon/serve/log.h"

namespace volt {
namespace {

// The parent's whole life after the fork. Ctrl-C is the child's matter, which puts the terminal
// back before it ends.
int wait_for_daemon(int pipe_fd, Child child) {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &ignore, nullptr);
  ::sigaction(SIGQUIT, &ignore, nullptr);
  std::uint8_t byte = 0;
  ssize_t count = 0;
  do {
    count = ::read(pipe_fd, &byte, 1);
  } while (count < 0 && errno == EINTR);
  if (count == 1) return exit_done;
  const auto ended = child.wait(std::chrono::milliseconds(-1));
  if (!ended) return exit_wrong_device;
  const ChildEnd& end = **ended;
  if (end.signal == SIGINT) return exit_interrupted;
  if (end.signal != 0) {
    log_error("start: the daemon was ended by signal " + std::to_string(end.signal));
  }
  return end.status != 0 ? end.status : static_cast<int>(exit_wrong_device);
}

}  // namespace

Result<Launch> Launch::start(bool foreground) {
  if (foreground) return Launch(FileDescriptor());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return error_from_errno("cannot make a pipe", errno);
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const pid_t child = ::fork();  // not fork_child(): it is the child that goes on from here
  if (child < 0) return error_from_errno("cannot fork", errno);
  if (child > 0) {
    writing.reset();
    ::_exit(wait_for_daemon(reading.get(), Child(child)));
  }
  return Launch(std::move(writing));
}

Status Launch::ready() {
  if (!pipe_) return {};
  if (::setsid() < 0) return error_from_errno("cannot make a session", errno);
  if (::chdir("/") != 0) return error_from_errno("cannot leave the folder", errno);
  FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return error_from_errno("cannot open /dev/null", errno);
  log_to_syslog();
  for (int fd = 0; fd < 3; ++fd) {
    if (::dup2(null.get(), fd) < 0) return error_from_errno("cannot redirect", errno);
  }
  if (null.get() <= STDERR_FILENO) null.release();
  const std::uint8_t byte = 0;
  const ssize_t written = ::write(pipe_.get(), &byte, 1);
  pipe_.reset();
  if (written != 1) return Error{ErrorCode::cancelled, 0, "the starting process has gone", 0};
  return {};
}

}  // namespace volt
