#include "blockdev/error_text.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

namespace volt {
namespace {

TEST(ErrorText, NumbersStandWhereTheyBelong) {
  EXPECT_EQ(error_text({ErrorCode::io, 0, "failed with status {}", 3}), "failed with status 3");
  EXPECT_EQ(error_text({ErrorCode::io, 0, "longer than {} bytes, the most", 128}),
            "longer than 128 bytes, the most");
  EXPECT_EQ(error_text({ErrorCode::io, 0, "ended by signal {signal}", SIGKILL}),
            "ended by signal 9 (SIGKILL)");
  EXPECT_EQ(error_text({ErrorCode::io, 0, "ended by signal {signal}", 1000}),
            "ended by signal 1000");
  EXPECT_EQ(error_text({ErrorCode::io, 0, "no place for it", 7}), "no place for it");
}

TEST(ErrorText, NothingIsSaidTwice) {
  EXPECT_EQ(error_text({ErrorCode::wrong_file, EISDIR, "is a directory", 0}), "is a directory");
  EXPECT_EQ(error_text(error_from_errno("cannot open: No such file or directory", ENOENT)),
            "cannot open: No such file or directory");
  EXPECT_EQ(error_text(error_from_errno("cannot open", ENOENT)),
            "cannot open: No such file or directory");
}

TEST(ErrorText, SomethingIsAlwaysSaid) {
  EXPECT_EQ(error_text({ErrorCode::busy, 0, "", 0}), "in use");
  EXPECT_EQ(error_text({ErrorCode::busy, 0, nullptr, 0}), "in use");
  EXPECT_EQ(error_text({ErrorCode::io, EIO, "", 0}), "Input/output error");
}

}  // namespace
}  // namespace volt
