#include "tools/interrupt.h"

#include <array>

namespace volt {
namespace {

constexpr std::array<int, 3> caught = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> interrupt_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "it is set in a signal handler");

extern "C" void on_interrupt(int) {
  interrupt_flag.store(true, std::memory_order_relaxed);
}

bool install_handlers() noexcept {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  for (const int signal : caught) {
    struct sigaction before {};
    // nohup(1) means what it says.
    if (signal == SIGHUP && ::sigaction(signal, nullptr, &before) == 0 &&
        before.sa_handler == SIG_IGN) {
      continue;
    }
    ::sigaction(signal, &action, nullptr);
  }
  return true;
}

}  // namespace

const std::atomic<bool>& catch_interrupts() noexcept {
  [[maybe_unused]] static const bool installed = install_handlers();
  return interrupt_flag;
}

bool interrupted() noexcept {
  return interrupt_flag.load(std::memory_order_relaxed);
}

void set_interrupted_for_test(bool value) noexcept {
  interrupt_flag.store(value);
}

SignalsBlocked::SignalsBlocked() noexcept {
  sigset_t blocked;
  ::sigemptyset(&blocked);
  for (const int signal : caught) ::sigaddset(&blocked, signal);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

SignalsBlocked::~SignalsBlocked() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace volt
