#include "tools/voltest/measure/supervisor.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "tools/common/interrupt.h"

namespace volt {
namespace {

TEST(Supervisor, ReturnsTheResult) {
  EXPECT_EQ(run_supervised([] { return 0; }), 0);
  EXPECT_EQ(run_supervised([] { return 7; }), 7);
}

TEST(Supervisor, TellsTheSignal) {
  EXPECT_EQ(run_supervised([]() -> int {
              ::signal(SIGUSR1, SIG_DFL);
              ::raise(SIGUSR1);
              return 0;
            }),
            128 + SIGUSR1);
}

TEST(Supervisor, HandsInterruptsOn) {
  const pid_t parent = ::getpid();
  EXPECT_EQ(run_supervised([parent]() -> int {
              catch_interrupts();
              ::kill(parent, SIGINT);
              for (int i = 0; i < 1000 && !interrupted(); ++i) ::poll(nullptr, 0, 10);
              return interrupted() ? 3 : 4;
            }),
            3);
}

TEST(Supervisor, LeavesAnIgnoredHangUpAlone) {
  ::signal(SIGHUP, SIG_IGN);
  const pid_t parent = ::getpid();
  EXPECT_EQ(run_supervised([parent]() -> int {
              catch_interrupts();
              ::kill(parent, SIGHUP);
              ::kill(::getpid(), SIGHUP);
              ::poll(nullptr, 0, 50);
              return interrupted() ? 4 : 5;
            }),
            5);
  ::signal(SIGHUP, SIG_DFL);
}

}  // namespace
}  // namespace volt
