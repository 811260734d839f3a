// What children find of signals, and that none is lost that came meanwhile.
#include "blockdev/process_signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

extern char** environ;

namespace volt {
namespace {

// Blocks the signals while it lives.
class Blocked {
 public:
  Blocked() {
    ::sigemptyset(&set);
    for (const int number : {SIGTERM, SIGINT, SIGUSR2, SIGTTOU}) ::sigaddset(&set, number);
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~Blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;
  sigset_t set{};

 private:
  sigset_t before_{};
};

// The exit status of a program that looks whether it has signals blocked: 0 where it has none. No
// shell: some unblock all.
int child_with_blocked_signals(const posix_spawnattr_t* attributes) {
  std::string words[] = {"grep", "-q", "^SigBlk:.0*$", "/proc/self/status"};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, "grep", nullptr, attributes, arguments, environ) != 0) return -1;
  int state = 0;
  ::waitpid(child, &state, 0);
  return WEXITSTATUS(state);
}

bool pending(int number) {
  sigset_t set;
  ::sigpending(&set);
  return ::sigismember(&set, number) == 1;
}

TEST(ProcessSignals, SpawnedChildrenBlockNothing) {
  const Blocked blocked;
  EXPECT_EQ(child_with_blocked_signals(nullptr), 1);  // the look itself can tell
  EXPECT_EQ(child_with_blocked_signals(SpawnAttributes().get()), 0);
}

TEST(ProcessSignals, ALibrarysChildrenBlockNothing) {
  const Blocked blocked;
  {
    const SignalsLetThrough through(blocked.set);
    EXPECT_EQ(child_with_blocked_signals(nullptr), 0);
  }
  EXPECT_EQ(child_with_blocked_signals(nullptr), 1);
}

TEST(ProcessSignals, WhatCameMeanwhileIsPending) {
  const Blocked blocked;
  {
    const SignalsLetThrough through(blocked.set);
    ::raise(SIGTERM);
  }
  EXPECT_TRUE(pending(SIGTERM));
  EXPECT_FALSE(pending(SIGINT));
  int number = 0;
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::sigwait(&term, &number);
}

}  // namespace
}  // namespace volt
