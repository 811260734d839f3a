#include "crypto/base/result.h"

#include <cerrno>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace volt {
namespace {

static_assert(std::is_trivially_copyable_v<Error>);

TEST(Result, HoldsAMoveOnlyValue) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  ASSERT_TRUE(result.ok());
  std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, MoveAssignsAcrossValueAndError) {
  Result<std::string> a(std::string(100, 'x'));
  Result<std::string> b(Error{ErrorCode::busy, 0, "b", 0});
  a = std::move(b);
  ASSERT_FALSE(a.ok());
  EXPECT_EQ(a.error().code, ErrorCode::busy);
  a = Result<std::string>(std::string("again"));
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(*a, "again");
}

Status fails_through() {
  VOLT_TRY((Status{Error{ErrorCode::no_space, ENOSPC, "write", 0}}));
  return {};
}

TEST(Result, TryReturnsTheError) {
  const Status status = fails_through();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().sys_errno, ENOSPC);
}

TEST(Result, ErrnoChoosesTheCode) {
  EXPECT_EQ(error_from_errno("", ENOSPC).code, ErrorCode::no_space);
  EXPECT_EQ(error_from_errno("", EIO).code, ErrorCode::io);
  EXPECT_EQ(error_from_errno("", EACCES).code, ErrorCode::permission);
  EXPECT_EQ(error_from_errno("", EROFS).code, ErrorCode::read_only);
  EXPECT_EQ(error_from_errno("", ENOENT).code, ErrorCode::not_found);
}

}  // namespace
}  // namespace volt
