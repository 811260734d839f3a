#include "tools/voltest/measure/fd_device.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "blockdev/host/file_descriptor.h"
#include "tests/support/test_devices.h"

// The C library's calls, replaced for this program: the kernel seldom does these things on demand.
namespace {
enum class Behaviour { whole, short_transfer, nothing };
Behaviour behaviour = Behaviour::whole;
int interruptions = 0;
int calls_left = 100000;  // a loop without end fails here instead

bool interrupted() {
  if (--calls_left < 0) {
    ADD_FAILURE() << "asked for ever";
    std::abort();
  }
  if (interruptions == 0) return false;
  --interruptions;
  errno = EINTR;
  return true;
}

std::size_t taken_of(std::size_t size) {
  if (behaviour == Behaviour::short_transfer) return std::min<std::size_t>(size, 777);
  return size;
}
}  // namespace

extern "C" ssize_t pread64(int fd, void* buffer, size_t size, off64_t offset) {
  if (interrupted()) return -1;
  if (behaviour == Behaviour::nothing) return 0;
  return syscall(SYS_pread64, fd, buffer, taken_of(size), offset);
}
extern "C" ssize_t pwrite64(int fd, const void* buffer, size_t size, off64_t offset) {
  if (interrupted()) return -1;
  if (behaviour == Behaviour::nothing) return 0;
  return syscall(SYS_pwrite64, fd, buffer, taken_of(size), offset);
}
extern "C" int fdatasync(int fd) {
  if (interrupted()) return -1;
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}

namespace volt {
namespace {

constexpr std::uint64_t file_bytes = 262144;

class FdDeviceTest : public testing::Test {
 protected:
  void TearDown() override {
    behaviour = Behaviour::whole;
    interruptions = 0;
    calls_left = 100000;
  }

  TempDir dir_;
  FileDescriptor fd_{::open(dir_.make_file("file", file_bytes).c_str(), O_RDWR | O_CLOEXEC)};
  FdDevice device_{fd_.get(), file_bytes};
};

TEST_F(FdDeviceTest, ShortTransfersAndSignalsAreNoErrors) {
  const Bytes data = random_bytes_of(100000, 1);
  Bytes back(data.size());
  behaviour = Behaviour::short_transfer;
  interruptions = 3;
  ASSERT_TRUE(device_.write(11, data).ok());
  interruptions = 3;
  ASSERT_TRUE(device_.read(11, back).ok());
  interruptions = 3;
  EXPECT_TRUE(device_.flush().ok());
  EXPECT_EQ(interruptions, 0);
  EXPECT_EQ(back, data);
}

// A transfer of nothing would be tried again without end.
TEST_F(FdDeviceTest, TransfersThatMakeNoProgressAreErrors) {
  Bytes data(4096);
  behaviour = Behaviour::nothing;
  const Status written = device_.write(8192, data);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::io);
  EXPECT_EQ(written.error().detail, 8192U);
  const Status read = device_.read(8192, data);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::io);
}

}  // namespace
}  // namespace volt
