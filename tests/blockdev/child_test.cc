// Programs and calls in processes of their own: what they give, how they end, and what they have.
#include "blockdev/host/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <sstream>
#include <string>
#include <vector>

namespace volt {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds soon(50);

ChildRequest shell(const std::string& script) {
  ChildRequest request;
  request.argv = {"/bin/sh", "-c", script};
  return request;
}

ChildRequest captured(const std::string& script) {
  ChildRequest request = shell(script);
  request.output = ChildOutput::captured;
  request.output_limit = 4096;
  return request;
}

std::string text_of(const SecureBuffer& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string output_of(const ChildRequest& request) {
  const auto ran = run_child(request);
  return ran ? text_of(ran->output) : std::string("could not be started");
}

TEST(RunChild, GivesStatusOutputAndErrors) {
  ChildRequest request = captured("echo out; echo err >&2; exit 7");
  request.errors = ChildOutput::captured;
  const auto ran = run_child(request);
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(ran->end.status, 7);
  EXPECT_EQ(ran->end.signal, 0);
  EXPECT_FALSE(ran->end.ok());
  EXPECT_EQ(ran->stopped, ChildStop::none);
  EXPECT_EQ(text_of(ran->output), "out\n");
  EXPECT_EQ(ran->errors, "err\n");
}

TEST(RunChild, GivesTheSignalThatEndedIt) {
  const auto ran = run_child(shell("kill -USR1 $$"));
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(ran->end.signal, SIGUSR1);
  EXPECT_EQ(ran->end.shell_status(), 128 + SIGUSR1);
  EXPECT_EQ(ran->stopped, ChildStop::none);
}

TEST(RunChild, AProgramThatDoesNotExistIsAnError) {
  ChildRequest request;
  for (const char* name : {"/no/such/program", "no-such-program-anywhere"}) {
    request.argv = {name};
    const auto ran = run_child(request);
    ASSERT_FALSE(ran.ok()) << name;
    EXPECT_EQ(ran.error().code, ErrorCode::not_found);
    EXPECT_EQ(ran.error().sys_errno, ENOENT);
  }
  request.argv = {"/"};
  const auto ran = run_child(request);
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().code, ErrorCode::permission);
}

TEST(RunChild, InputIsAllThatComes) {
  const std::string text(60000, 'x');
  ChildRequest request = captured("wc -c");
  request.input = ByteSpan(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  EXPECT_EQ(std::stoi(output_of(request)), 60000);
  request.input = ByteSpan();
  EXPECT_EQ(std::stoi(output_of(request)), 0);
}

TEST(RunChild, MoreInputThanAPipeHoldsIsRefused) {
  const std::vector<std::uint8_t> bytes(70000);
  ChildRequest request = shell("cat >/dev/null");
  request.input = bytes;
  const auto ran = run_child(request);
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().code, ErrorCode::invalid_argument);
}

TEST(RunChild, OneThatWritesMoreThanTheLimitIsStopped) {
  ChildRequest request = captured("while :; do echo aaaaaaaaaaaaaaaa; done");
  request.output_limit = 100;
  const auto ran = run_child(request);
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(ran->stopped, ChildStop::too_much);
  EXPECT_EQ(ran->end.signal, SIGTERM);
  EXPECT_EQ(ran->output.size(), 100U);
}

TEST(RunChild, ExactlyTheLimitIsNotTooMuch) {
  ChildRequest request = captured("printf 1234567890");
  request.output_limit = 10;
  const auto ran = run_child(request);
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(ran->stopped, ChildStop::none);
  EXPECT_EQ(text_of(ran->output), "1234567890");
}

TEST(RunChild, ErrorsOverTheirLimitAreDropped) {
  ChildRequest request = shell("i=0; while [ $i -lt 20000 ]; do echo line >&2; i=$((i+1)); done");
  request.errors = ChildOutput::captured;
  const auto ran = run_child(request);
  ASSERT_TRUE(ran.ok());
  EXPECT_TRUE(ran->end.ok());
  EXPECT_EQ(ran->errors.size(), request.errors_limit);
}

TEST(RunChild, OneThatIgnoresTermIsKilled) {
  ChildRequest request = captured("trap '' TERM; echo ready; exec >&-; while :; do sleep 1; done");
  request.patience = soon;  // which begins when it ignores TERM
  const auto ran = run_child(request);
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(ran->stopped, ChildStop::too_slow);
  EXPECT_EQ(ran->end.signal, SIGKILL);
  EXPECT_EQ(text_of(ran->output), "ready\n");
}

TEST(RunChild, PatienceBeginsWhenTheOutputEnds) {
  ChildRequest request = captured("echo all; exec >&-; exec sleep 1000");
  request.patience = soon;
  const auto ran = run_child(request);
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(ran->stopped, ChildStop::too_slow);
  EXPECT_EQ(text_of(ran->output), "all\n");
}

// The pipe stays open, and nobody waits for that.
TEST(RunChild, AGrandchildThatKeepsTheOutputOpenIsNotWaitedFor) {
  ChildRequest request = captured("sleep 1000 & echo $!");
  const auto ran = run_child(request);
  ASSERT_TRUE(ran.ok());
  EXPECT_TRUE(ran->end.ok());
  const pid_t grandchild = std::stoi(text_of(ran->output));
  EXPECT_EQ(::kill(grandchild, SIGKILL), 0);  // it is still there
}

TEST(RunChild, AGroupOfItsOwnEndsWhole) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that it is us who see how the grandchild ends
  ChildRequest request =
      captured("trap '' TERM; (exec >&-; while :; do sleep 1; done) & echo $!; exec >&-; wait");
  request.group = Child::Group::own;
  request.patience = soon;
  const auto ran = run_child(request);
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(ran->stopped, ChildStop::too_slow);
  auto grandchild = Child(std::stoi(text_of(ran->output)));
  const auto end = grandchild.wait(milliseconds(60000));
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  ASSERT_TRUE(end.ok());
  ASSERT_TRUE(end->has_value());
  EXPECT_EQ((*end)->signal, SIGKILL);
}

TEST(RunChild, TheLimitIsOnTheWhole) {
  ChildRequest request = captured("exec sleep 1000");
  request.limit = soon;
  const auto ran = run_child(request);
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(ran->stopped, ChildStop::too_slow);
  EXPECT_NE(ran->end.signal, 0);
}

TEST(RunChild, StreamsMayBeClosedHere) {
  const auto child = fork_child([] {
    for (int fd = 0; fd <= 2; ++fd) ::close(fd);
    ChildRequest request = captured("cat; echo end; echo err >&2");
    request.input = ByteSpan(reinterpret_cast<const std::uint8_t*>("in\n"), 3);
    request.errors = ChildOutput::captured;
    const auto ran = run_child(request);
    return ran && ran->end.ok() && text_of(ran->output) == "in\nend\n" && ran->errors == "err\n"
               ? 0
               : 1;
  });
  ASSERT_TRUE(child.ok());
  int state = 0;
  ::waitpid(child->pid(), &state, 0);
  EXPECT_EQ(state, 0);
}

// `ls` itself has one open, for the folder.
std::string descriptors_of(ChildRequest request) {
  request.argv = {"/bin/sh", "-c", "cd /proc/self/fd; for i in *; do [ -e $i ] && echo $i; done"};
  request.output = ChildOutput::captured;
  request.output_limit = 4096;
  request.errors = ChildOutput::nothing;
  return output_of(request);
}

TEST(RunChild, NoDescriptorLeaks) {
  const FileDescriptor ours(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const FileDescriptor given(::fcntl(ours.get(), F_DUPFD, 100));  // as our caller might have
  const FileDescriptor handed(::fcntl(ours.get(), F_DUPFD_CLOEXEC, 200));
  const auto has = [](const std::string& list, int fd) {
    std::istringstream lines(list);
    for (int listed = 0; lines >> listed;) {
      if (listed == fd) return true;
    }
    return false;
  };
  const std::string none = descriptors_of({});
  EXPECT_TRUE(has(none, 1));
  EXPECT_FALSE(has(none, ours.get()));
  EXPECT_FALSE(has(none, given.get()));
  ChildRequest request;
  request.files = ChildFiles::inherited;
  request.passed = {handed.get()};
  const std::string list = descriptors_of(request);
  EXPECT_TRUE(has(list, given.get()));
  EXPECT_TRUE(has(list, handed.get()));
  EXPECT_FALSE(has(list, ours.get()));
}

TEST(RunChild, TheEnvironmentCanBeChosen) {
  ::setenv("VOLT_CHILD_TEST", "ours", 1);
  ChildRequest request = captured("echo \"$VOLT_CHILD_TEST\"");
  EXPECT_EQ(output_of(request), "ours\n");
  request.environment = {"VOLT_CHILD_TEST=chosen"};
  EXPECT_EQ(output_of(request), "chosen\n");
  request.environment = std::vector<std::string>();
  EXPECT_EQ(output_of(request), "\n");
  ::unsetenv("VOLT_CHILD_TEST");
}

TEST(RunChild, SignalsAreAsWithoutUs) {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR2);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  ChildRequest request;
  request.argv = {"grep", "-q", "^SigBlk:.0*$", "/proc/self/status"};
  const auto ran = run_child(request);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(ran->end.status, 0);
}

TEST(Child, IsWaitedForWithinALimit) {
  auto child = fork_child([] {
    ::pause();
    return 0;
  });
  ASSERT_TRUE(child.ok());
  const auto waited = child->wait(soon);
  ASSERT_TRUE(waited.ok());
  EXPECT_FALSE(waited->has_value());
  const auto end = child->stop();
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->signal, SIGTERM);
  EXPECT_FALSE(child->wait(soon).ok());  // there is none any more
}

TEST(RunBounded, GivesWhatTheCallGives) {
  const auto outcome = run_bounded(milliseconds(60000), [] {
    return CallOutcome{EIO, std::string(100000, 'x')};
  });
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->sys_errno, EIO);
  EXPECT_EQ(outcome->text, std::string(100000, 'x'));
}

TEST(RunBounded, GivesUpOnACallThatDoesNotEnd) {
  const auto outcome = run_bounded(soon, [] {
    ::pause();
    return CallOutcome{};
  });
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().sys_errno, ETIMEDOUT);
}

TEST(RunBounded, TellsACallThatDied) {
  const auto outcome = run_bounded(milliseconds(60000), []() -> CallOutcome { ::_exit(3); });
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.error().sys_errno, ETIMEDOUT);
}

// What is left behind must not hold a lock or a pipe of ours.
TEST(RunBounded, TheChildHasNoDescriptorOfOurs) {
  const FileDescriptor low(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  const FileDescriptor high(::fcntl(low.get(), F_DUPFD_CLOEXEC, 300));
  const auto outcome = run_bounded(milliseconds(60000), [&] {
    const bool gone = ::fcntl(low.get(), F_GETFD) < 0 && ::fcntl(high.get(), F_GETFD) < 0;
    return CallOutcome{gone ? 0 : EBUSY, ""};
  });
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->sys_errno, 0);
}

}  // namespace
}  // namespace volt
