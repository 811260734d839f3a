#include "blockdev/host/process_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

#include "blockdev/host/file_descriptor.h"

namespace volt {
namespace {

// A handler instead of SIG_IGN: exec(2) undoes it, so that children need not know of it.
extern "C" void do_nothing(int) {}

void install(int number, void (*handler)(int)) noexcept {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

// A file that cannot be read as standard input, nor written as the others.
void open_closed_stream(int fd) noexcept {
  if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) return;
  const int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
  FileDescriptor opened(::open("/dev/null", flags));
  if (!opened) opened.reset(::open("/", O_RDONLY | O_DIRECTORY));  // a bare chroot
  if (opened.get() == fd) {
    opened.release();  // which had its number, and stays
  } else if (opened) {
    ::dup2(opened.get(), fd);
  }
}

sigset_t no_signals() noexcept {
  sigset_t set;
  ::sigemptyset(&set);
  return set;
}

volatile std::sig_atomic_t came[32] = {};

extern "C" void note_signal_that_came(int number) {
  came[number] = 1;
}

}  // namespace

void prepare_process() noexcept {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) open_closed_stream(fd);
  for (const int number : {SIGXFSZ, SIGPIPE}) install(number, do_nothing);
  install(SIGCHLD, SIG_DFL);
  const sigset_t none = no_signals();
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

SpawnAttributes::SpawnAttributes() noexcept {
  usable_ = ::posix_spawnattr_init(&attributes_) == 0;
  if (usable_) reset(no_signals());
}

SpawnAttributes::~SpawnAttributes() {
  if (usable_) ::posix_spawnattr_destroy(&attributes_);
}

void SpawnAttributes::reset(const sigset_t& to_default) noexcept {
  if (!usable_) return;
  const sigset_t none = no_signals();
  ::posix_spawnattr_setsigdefault(&attributes_, &to_default);
  ::posix_spawnattr_setsigmask(&attributes_, &none);
  ::posix_spawnattr_setflags(&attributes_, flags_);
}

void SpawnAttributes::lead_group() noexcept {
  if (!usable_) return;
  flags_ |= POSIX_SPAWN_SETPGROUP;
  ::posix_spawnattr_setpgroup(&attributes_, 0);
  ::posix_spawnattr_setflags(&attributes_, flags_);
}

SignalsLetThrough::SignalsLetThrough(const sigset_t& blocked) noexcept {
  for (int number = 1; number < signals; ++number) {
    if (::sigismember(&blocked, number) != 1) continue;
    came[number] = 0;
    struct sigaction action {};
    action.sa_handler = note_signal_that_came;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    changed_[number] = ::sigaction(number, &action, &before_[number]) == 0;
    // What the caller ignores stays ignored, in children as well.
    if (changed_[number] && before_[number].sa_handler == SIG_IGN) {
      ::sigaction(number, &before_[number], nullptr);
      changed_[number] = false;
    }
  }
  ::pthread_sigmask(SIG_UNBLOCK, &blocked, &mask_);
}

SignalsLetThrough::~SignalsLetThrough() {
  ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  for (int number = 1; number < signals; ++number) {
    if (!changed_[number]) continue;
    ::sigaction(number, &before_[number], nullptr);
    if (came[number] != 0) ::kill(::getpid(), number);
  }
}

}  // namespace volt
