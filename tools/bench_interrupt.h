// Ctrl-C and SIGTERM as a flag.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace volt {

// The first signal sets the flag; a second one ends the program as it would without us.
void install_interrupt_handler() noexcept;
bool interrupted() noexcept;
void set_interrupted_for_test(bool value) noexcept;

// Blocks both signals in the calling thread while alive, so that threads started meanwhile never
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
