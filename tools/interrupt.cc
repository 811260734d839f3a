#include "tools/interrupt.h"

#include <array>

namespace volt {
namespace {

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
  for (const int signal : interrupt_signals()) ::sigaction(signal, &action, nullptr);
  return true;
}

}  // namespace

std::span<const int> interrupt_signals() noexcept {
  static constexpr std::array<int, 4> all = {SIGINT, SIGTERM, SIGXCPU, SIGHUP};
  struct sigaction now {};
  const bool hang_up_ignored = ::sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
  return std::span(all).first(hang_up_ignored ? 3 : 4);
}

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
  for (const int signal : interrupt_signals()) ::sigaddset(&blocked, signal);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

SignalsBlocked::~SignalsBlocked() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace volt
