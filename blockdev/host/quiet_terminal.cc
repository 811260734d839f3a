#include "blockdev/host/quiet_terminal.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

#include "blockdev/host/tty_prompt.h"

namespace volt {
namespace {

constexpr std::array watched_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
using Action = struct sigaction;

// Read by the handler; changed only while no handler of ours is installed, or inside it. A bare
// descriptor: a signal may come until the last moment of the process, and no destructor may then
// have closed it.
struct Held {
  int fd = -1;
  termios before = {};
  termios quiet = {};
  std::array<Action, watched_signals.size()> old_actions = {};
};
Held held;
int keepers = 0;

void on_signal(int number);

// With TTOU blocked, so that a process in the background may put the terminal back, too.
void set_terminal(const termios& state) noexcept {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  tcsetattr(held.fd, TCSAFLUSH, &state);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Action our_action() noexcept {
  Action action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int number : watched_signals) sigaddset(&action.sa_mask, number);
  return action;
}

// Lets the signal do what it does without us; returns where the process goes on.
void deliver_by_default(int number) noexcept {
  Action by_default = {};
  by_default.sa_handler = SIG_DFL;
  Action ours = {};
  sigaction(number, &by_default, &ours);
  sigset_t only;
  sigset_t before;
  sigemptyset(&only);
  sigaddset(&only, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &only, &before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  sigaction(number, &ours, nullptr);
}

// Calls the handler that the program had installed itself.
void hand_on(int number, Action* old) noexcept {
  const auto handler = old->sa_handler;
  if ((static_cast<unsigned>(old->sa_flags) & static_cast<unsigned>(SA_RESETHAND)) != 0) {
    old->sa_handler = SIG_DFL;
  }
  handler(number);
}

void on_signal(int number) {
  const int saved_errno = errno;
  for (std::size_t i = 0; i < watched_signals.size(); ++i) {
    if (watched_signals[i] != number) continue;
    if (held.old_actions[i].sa_handler != SIG_DFL) {
      hand_on(number, &held.old_actions[i]);
      continue;
    }
    set_terminal(held.before);
    deliver_by_default(number);
    // Stopped and continued: quiet again, unless another program has the terminal now.
    if (tcgetpgrp(held.fd) == getpgrp()) set_terminal(held.quiet);
  }
  errno = saved_errno;
}

}  // namespace

bool terminal_is_kept_quiet() noexcept {
  return keepers > 0;
}

bool hold_quiet_terminal(int terminal_fd, const termios& before) noexcept {
  held.fd = fcntl(terminal_fd, F_DUPFD_CLOEXEC, 3);
  if (held.fd < 0) return false;
  held.before = before;
  if (tcgetattr(held.fd, &held.quiet) != 0) held.quiet = before;
  const Action ours = our_action();
  for (std::size_t i = 0; i < watched_signals.size(); ++i) {
    sigaction(watched_signals[i], nullptr, &held.old_actions[i]);
    const Action& old = held.old_actions[i];
    const bool extended =
        (static_cast<unsigned>(old.sa_flags) & static_cast<unsigned>(SA_SIGINFO)) != 0;
    // What the program ignores (nohup) stays ignored.
    if (old.sa_handler == SIG_IGN || extended) continue;
    sigaction(watched_signals[i], &ours, nullptr);
  }
  return true;
}

void release_quiet_terminal() noexcept {
  if (held.fd < 0) return;
  // Put back first: a signal that comes in between finds its handler still there.
  set_terminal(held.before);
  for (std::size_t i = 0; i < watched_signals.size(); ++i) {
    Action now = {};
    sigaction(watched_signals[i], nullptr, &now);
    // A handler that was installed meanwhile stays.
    if (now.sa_handler == on_signal) sigaction(watched_signals[i], &held.old_actions[i], nullptr);
  }
  close(held.fd);
  held.fd = -1;
}

QuietTerminal::QuietTerminal() noexcept {
  ++keepers;
}

QuietTerminal::~QuietTerminal() {
  if (--keepers == 0) release_quiet_terminal();
}

void QuietTerminal::show_typing() noexcept {
  release_quiet_terminal();
}

}  // namespace volt
