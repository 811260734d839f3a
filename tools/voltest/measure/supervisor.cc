#include "tools/voltest/measure/supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "blockdev/host/child.h"
#include "blockdev/host/exit_status.h"
#include "blockdev/host/file_descriptor.h"
#include "tools/common/interrupt.h"

namespace volt {
namespace {

constexpr std::chrono::milliseconds farewell(500);  // for a child that has said its result to end

std::atomic<pid_t> child_pid{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);

extern "C" void hand_on(int signal_number) {
  const int saved = errno;
  const pid_t child = child_pid.load(std::memory_order_relaxed);
  if (child > 0) ::kill(child, signal_number);
  errno = saved;
}

[[noreturn]] void be_child(const std::function<int()>& body, int result_fd, pid_t parent,
                           const sigset_t& mask) {
  // A group of its own: the terminal's Ctrl-C then arrives once, from the parent.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(128 + SIGKILL);
  for (const int number : interrupt_signals()) ::signal(number, SIG_DFL);
  ::signal(SIGTTOU, SIG_IGN);  // it still writes to the terminal
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  const int result = body();
  ssize_t sent = 0;
  do {
    sent = ::write(result_fd, &result, sizeof result);
  } while (sent < 0 && errno == EINTR);
  ::exit(result);
}

// What a child that has not said its result ended by. Who asked for its end knows; of anything else
// somebody has to tell.
int result_of_end(int ended) {
  const int number = ended - 128;
  if (number <= 0) return ended;
  for (const int asked : {SIGINT, SIGTERM, SIGHUP, SIGKILL}) {
    if (number == asked) return ended;
  }
  const std::string name = ::strsignal(number);
  const char* why = number == SIGBUS ? ": a file in use was cut, or its storage failed" : "";
  std::fputs(("voltest: ended by signal " + std::to_string(number) + " (" + name + ")" + why + "\n")
                 .c_str(),
             stderr);
  return number == SIGBUS ? static_cast<int>(exit_wrong_device) : ended;
}

}  // namespace

int run_supervised(const std::function<int()>& body) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return body();
  FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  // A signal that comes between fork and the handlers waits.
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  for (const int number : interrupt_signals()) ::sigaddset(&blocked, number);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  const pid_t parent = ::getpid();
  auto child = fork_child([&]() -> int { be_child(body, writing.get(), parent, before); });
  if (!child) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return body();
  }
  child_pid.store(child->pid());
  struct sigaction action {};
  action.sa_handler = hand_on;
  action.sa_flags = SA_RESTART;
  for (const int number : interrupt_signals()) ::sigaction(number, &action, nullptr);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  writing.reset();

  int result = 0;
  ssize_t got = 0;
  do {
    got = ::read(reading.get(), &result, sizeof result);
  } while (got < 0 && errno == EINTR);
  const bool said = got == static_cast<ssize_t>(sizeof result);
  const auto ended = child->wait(said ? farewell : std::chrono::milliseconds(-1));
  if (said) return result;
  if (!ended) return exit_wrong_device;
  return result_of_end((*ended)->shell_status());
}

}  // namespace volt
