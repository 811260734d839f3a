#include "tools/interrupt.h"

#include <csignal>

namespace volt {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "it is set in a signal handler");

void on_signal(int signal) {
  interrupted.store(true, std::memory_order_relaxed);
  if (signal == SIGINT) std::signal(SIGINT, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  return interrupted;
}

}  // namespace volt
