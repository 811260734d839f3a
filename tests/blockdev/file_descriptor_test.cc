#include "blockdev/host/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace volt {
namespace {

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

int any_descriptor() {
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

TEST(FileDescriptor, ClosesAtItsEnd) {
  int number = -1;
  {
    const FileDescriptor fd(any_descriptor());
    ASSERT_TRUE(fd);
    number = fd.get();
  }
  EXPECT_FALSE(is_open(number));
}

TEST(FileDescriptor, AssigningClosesWhatWasThere) {
  FileDescriptor target(any_descriptor());
  FileDescriptor source(any_descriptor());
  const int before = target.get();
  const int number = source.get();
  target = std::move(source);
  EXPECT_FALSE(is_open(before));
  EXPECT_EQ(target.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(FileDescriptor, ReleasedIsTheCallersToClose) {
  FileDescriptor fd(any_descriptor());
  const FileDescriptor taken(fd.release());
  EXPECT_FALSE(fd);
  EXPECT_TRUE(is_open(taken.get()));
}

// Errors are often made from errno after the descriptor has gone.
TEST(FileDescriptor, LeavesErrnoAlone) {
  const int number = any_descriptor();
  FileDescriptor fd(number);
  ::close(number);
  errno = ENOSPC;
  fd.reset();  // fails with EBADF
  EXPECT_EQ(errno, ENOSPC);
}

}  // namespace
}  // namespace volt
