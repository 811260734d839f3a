// Calls with a bound on their time.
#include "tools/common/bounded_call.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

namespace volt {
namespace {

using std::chrono::milliseconds;

TEST(BoundedCall, GivesWhatTheCallGives) {
  const auto outcome = run_bounded(milliseconds(10000), [] {
    return CallOutcome{EIO, std::string(100000, 'x')};
  });
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->sys_errno, EIO);
  EXPECT_EQ(outcome->text, std::string(100000, 'x'));
}

TEST(BoundedCall, GivesUpOnACallThatDoesNotEnd) {
  const auto outcome = run_bounded(milliseconds(20), [] {
    ::pause();
    return CallOutcome{};
  });
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().sys_errno, ETIMEDOUT);
}

TEST(BoundedCall, TellsACallThatDied) {
  const auto outcome = run_bounded(milliseconds(10000), []() -> CallOutcome { ::_exit(3); });
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.error().sys_errno, ETIMEDOUT);
}

}  // namespace
}  // namespace volt
