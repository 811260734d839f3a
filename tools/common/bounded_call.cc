#include "tools/common/bounded_call.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "blockdev/host/file_descriptor.h"

namespace volt {
namespace {

bool write_all(int fd, const char* data, std::size_t size) noexcept {
  while (size > 0) {
    const ssize_t count = ::write(fd, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

// A child that is left behind must not keep a pipe open that this program's reader waits on.
void let_go_of_streams() noexcept {
  const int null_fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (null_fd >= 0) ::dup2(null_fd, stream);
  }
}

[[noreturn]] void run_child(int fd, const std::function<CallOutcome()>& call) {
  let_go_of_streams();
  try {
    const CallOutcome outcome = call();
    write_all(fd, reinterpret_cast<const char*>(&outcome.sys_errno), sizeof outcome.sys_errno);
    write_all(fd, outcome.text.data(), std::min(outcome.text.size(), max_outcome_bytes));
  } catch (...) {  // the parent sees that nothing came
  }
  ::_exit(0);
}

// Everything the child sends until it closes its end; false when time is up.
bool collect(int fd, std::chrono::milliseconds limit, std::string* out) {
  const auto end = std::chrono::steady_clock::now() + limit;
  std::array<char, 65536> buffer{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    struct pollfd watched = {fd, POLLIN, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count == 0) return true;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    out->append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<CallOutcome> run_bounded(std::chrono::milliseconds limit,
                                const std::function<CallOutcome()>& call) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return error_from_errno("cannot make a pipe", errno);
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) {
    return error_from_errno("cannot fork", errno);
  }
  if (child == 0) run_child(writing.get(), call);
  writing.reset();
  std::string bytes;
  const bool in_time = collect(reading.get(), limit, &bytes);
  if (!in_time) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, WNOHANG);
    return Error{ErrorCode::io, ETIMEDOUT, "", 0};
  }
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  CallOutcome outcome;
  if (bytes.size() < sizeof outcome.sys_errno) return Error{ErrorCode::no_memory, 0, "", 0};
  std::memcpy(&outcome.sys_errno, bytes.data(), sizeof outcome.sys_errno);
  outcome.text = bytes.substr(sizeof outcome.sys_errno);
  return outcome;
}

}  // namespace volt
