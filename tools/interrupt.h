// Ctrl-C and termination as a flag that long work looks at.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <span>

namespace volt {

// What asks a program to end: SIGINT, SIGTERM, SIGXCPU (the limit on processor time, before the
// kernel kills), and SIGHUP unless it is ignored (nohup(1) means what it says).
std::span<const int> interrupt_signals() noexcept;

// Makes these signals set the flag instead of ending the process; a second one of the same kind
// ends it as it would without us. Returns the flag; it lives as long as the process. Any thread;
// only the first call does something.
const std::atomic<bool>& catch_interrupts() noexcept;

// The flag; false before catch_interrupts().
bool interrupted() noexcept;
void set_interrupted_for_test(bool value) noexcept;

// Blocks these signals in the calling thread while alive, so that threads started meanwhile never
// receive them and the main thread always does.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept;
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace volt
