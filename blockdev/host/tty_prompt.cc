#include "blockdev/host/tty_prompt.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "blockdev/host/file_descriptor.h"
#include "blockdev/host/printable_text.h"
#include "blockdev/host/quiet_terminal.h"

namespace volt {
namespace {

constexpr std::array held_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};

// Written by the handler, read by the prompt; there is one prompt at a time.
volatile std::sig_atomic_t arrived_signal = 0;

void note_signal(int number) {
  arrived_signal = number;
}

bool is_stop(int number) noexcept {
  return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

// Routes the held signals, which are blocked, to note_signal() while it lives. They are delivered
// only inside ppoll() with wait_mask(), so none slips in between a check and the wait.
class HeldSignals {
 public:
  explicit HeldSignals(const sigset_t& mask_outside) noexcept : wait_mask_(mask_outside) {
    arrived_signal = 0;
    struct sigaction action = {};
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < held_signals.size(); ++i) {
      sigaction(held_signals[i], &action, &old_actions_[i]);
      // What the program ignores (nohup) stays ignored.
      if (old_actions_[i].sa_handler == SIG_IGN) {
        sigaction(held_signals[i], &old_actions_[i], nullptr);
      } else {
        sigdelset(&wait_mask_, held_signals[i]);
      }
    }
  }
  ~HeldSignals() {
    for (std::size_t i = 0; i < held_signals.size(); ++i) {
      sigaction(held_signals[i], &old_actions_[i], nullptr);
    }
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  const sigset_t* wait_mask() const noexcept { return &wait_mask_; }

 private:
  sigset_t wait_mask_;
  std::array<struct sigaction, held_signals.size()> old_actions_;
};

class Terminal {
 public:
  Terminal() noexcept : fd_(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {}

  int fd() const noexcept { return fd_.get(); }
  bool hide_echo() noexcept {
    if (tcgetattr(fd_.get(), &before_) != 0) return false;
    termios hidden = before_;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
    hidden.c_lflag |= ICANON | ISIG;
    return tcsetattr(fd_.get(), TCSAFLUSH, &hidden) == 0;
  }
  void restore_echo() noexcept { tcsetattr(fd_.get(), TCSAFLUSH, &before_); }
  // Leaves echo off, to be put back by whoever keeps the terminal quiet.
  bool stay_quiet() noexcept { return hold_quiet_terminal(fd_.get(), before_); }
  void say(std::string_view text) noexcept {
    while (!text.empty()) {
      const ssize_t written = write(fd_.get(), text.data(), text.size());
      if (written <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  FileDescriptor fd_;
  termios before_ = {};
};

// One line, byte by byte, so that nothing behind it is swallowed.
Result<SecureBuffer> read_line(const Terminal& terminal, const sigset_t* wait_mask,
                               std::size_t max_bytes) {
  auto line = SecureBuffer::create(max_bytes + 1);
  if (!line) return line;
  std::size_t length = 0;
  for (;;) {
    pollfd ready = {terminal.fd(), POLLIN, 0};
    if (ppoll(&ready, 1, nullptr, wait_mask) < 0) {
      if (errno == EINTR && arrived_signal == 0) continue;
      return error_from_errno("password prompt", errno);
    }
    std::uint8_t* next = line->data() + (length < max_bytes ? length : max_bytes);
    const ssize_t got = read(terminal.fd(), next, 1);
    if (got < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return error_from_errno("password prompt", errno);
    }
    if (got == 0) return Error{ErrorCode::invalid_argument, 0, "end of input at the prompt", 0};
    if (*next == '\n') break;
    ++length;
  }
  if (length > max_bytes) {
    return Error{ErrorCode::invalid_argument, 0,
                 "longer than {} bytes, the longest that a password may be", max_bytes};
  }
  line->shrink(length);
  return line;
}

// Blocks the held signals while it lives, so that none falls between two handlers.
class BlockedSignals {
 public:
  BlockedSignals() noexcept {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int number : held_signals) sigaddset(&blocked, number);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  // The mask to wait with is the caller's.
  const sigset_t& before() const noexcept { return before_; }

 private:
  sigset_t before_;
};

Result<SecureBuffer> ask_once(Terminal& terminal, const char* prompt, std::size_t max_bytes) {
  const BlockedSignals blocked;
  release_quiet_terminal();  // an earlier prompt's: what the terminal was is read anew
  bool keep = false;
  Result<SecureBuffer> line = [&]() -> Result<SecureBuffer> {
    const HeldSignals held(blocked.before());
    if (!terminal.hide_echo()) return error_from_errno("cannot hide what is typed", errno);
    terminal.say(printable(prompt));
    auto typed = read_line(terminal, held.wait_mask(), max_bytes);
    keep = typed.ok() && arrived_signal == 0 && terminal_is_kept_quiet();
    if (!keep) terminal.restore_echo();
    return typed;
  }();
  if (keep && !terminal.stay_quiet()) terminal.restore_echo();
  terminal.say("\n");
  return line;
}

}  // namespace

Result<SecureBuffer> prompt_hidden(const char* prompt, std::size_t max_bytes) {
  Terminal terminal;
  if (terminal.fd() < 0) {
    return Error{ErrorCode::invalid_argument, 0,
                 "no terminal to ask on; name --password-file or --password-command", 0};
  }
  for (;;) {
    auto line = ask_once(terminal, prompt, max_bytes);
    const int number = arrived_signal;
    if (number == 0) return line;
    // Echo and handlers are back: now the signal may do what it does.
    raise(number);
    if (!is_stop(number)) return Error{ErrorCode::cancelled, 0, "interrupted at the prompt", 0};
  }
}

}  // namespace volt
