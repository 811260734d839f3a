#include "tools/bench_interrupt.h"

#include <atomic>

namespace volt {
namespace {

std::atomic<bool> interrupt_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_interrupt(int) {
  interrupt_flag.store(true, std::memory_order_relaxed);
}

}  // namespace

void install_interrupt_handler() noexcept {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
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
  ::sigaddset(&blocked, SIGINT);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

SignalsBlocked::~SignalsBlocked() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace volt
