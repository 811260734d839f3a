#include "blockdev/backing/file_device.h"

#include <atomic>
#include <cerrno>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/loop.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "blockdev/stack/device_stack.h"
#include "tests/support/test_devices.h"

// The C library's calls, replaced for this program: the kernel seldom does these things on demand.
namespace {
thread_local std::size_t transfer_limit = SIZE_MAX;
thread_local int interruptions = 0;
std::atomic<int> syncs{0};
std::atomic<int> sync_errors_left{0};

bool interrupted() {
  if (interruptions == 0) return false;
  --interruptions;
  errno = EINTR;
  return true;
}
}  // namespace

extern "C" ssize_t pread64(int fd, void* buffer, size_t size, off64_t offset) {
  if (interrupted()) return -1;
  return syscall(SYS_pread64, fd, buffer, std::min(size, transfer_limit), offset);
}
extern "C" ssize_t pwrite64(int fd, const void* buffer, size_t size, off64_t offset) {
  if (interrupted()) return -1;
  return syscall(SYS_pwrite64, fd, buffer, std::min(size, transfer_limit), offset);
}
extern "C" int fdatasync(int fd) {
  ++syncs;
  if (interrupted()) return -1;
  if (sync_errors_left > 0) {
    --sync_errors_left;
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}

namespace volt {
namespace {

constexpr std::uint64_t file_bytes = 262144;

class FileDeviceTest : public testing::Test {
 protected:
  Result<std::unique_ptr<FileDevice>> open(ContainerOptions options = {.direct = DirectIo::off}) {
    return FileDevice::open(path_, options);
  }
  static ErrorCode code_of(const std::string& path) {
    const auto device = FileDevice::open(path, {});
    return device.ok() ? ErrorCode::internal : device.error().code;
  }

  TempDir dir_;
  std::string path_ = dir_.make_file("container", file_bytes);
};

TEST_F(FileDeviceTest, ShortTransfersAndSignalsAreNoErrors) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  const Bytes data = random_bytes_of(100000, 1);
  Bytes back(data.size());
  transfer_limit = 777;
  interruptions = 3;
  ASSERT_TRUE((*device)->write(11, data).ok());
  interruptions = 3;
  ASSERT_TRUE((*device)->read(11, back).ok());
  interruptions = 3;
  EXPECT_TRUE((*device)->flush().ok());
  EXPECT_EQ(interruptions, 0);
  transfer_limit = SIZE_MAX;
  EXPECT_EQ(back, data);
}

TEST_F(FileDeviceTest, TruncatedFileIsAnError) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  ASSERT_EQ(truncate(path_.c_str(), 100000), 0);
  Bytes back(1000);
  EXPECT_TRUE((*device)->read(99000, back).ok());
  for (const std::uint64_t offset : {99001U, 100000U, 200000U}) {
    const Status status = (*device)->read(offset, back);
    ASSERT_FALSE(status.ok()) << offset;
    EXPECT_EQ(status.error().code, ErrorCode::io);
  }
}

TEST_F(FileDeviceTest, AFailedFlushStaysFailed) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE((*device)->flush().ok());
  sync_errors_left = 1;
  for (int i = 0; i < 3; ++i) {
    const Status status = (*device)->flush();
    ASSERT_FALSE(status.ok()) << i;
    EXPECT_EQ(status.error().code, ErrorCode::io);
    EXPECT_EQ(status.error().sys_errno, EIO);
  }
}

TEST_F(FileDeviceTest, ConcurrentFlushesAllReachTheFile) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  syncs = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE((*device)->flush().ok());
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_GE(syncs, 20);
  EXPECT_LE(syncs, 160);
}

TEST_F(FileDeviceTest, WhatCannotBeAContainer) {
  ASSERT_EQ(mkfifo((dir_.path() / "fifo").c_str(), 0600), 0);
  dir_.make_file("empty", 0);
  EXPECT_EQ(code_of(dir_.path()), ErrorCode::wrong_file);
  EXPECT_EQ(code_of(dir_.path() / "fifo"), ErrorCode::wrong_file);
  EXPECT_EQ(code_of(dir_.path() / "empty"), ErrorCode::wrong_file);
  EXPECT_EQ(code_of("/dev/null"), ErrorCode::wrong_file);
  EXPECT_EQ(code_of(dir_.path() / "missing"), ErrorCode::not_found);
  EXPECT_EQ(code_of(path_ + "/below"), ErrorCode::not_found);
}

TEST_F(FileDeviceTest, OneWriterOrManyReaders) {
  const ContainerOptions reading{.read_only = true};
  {
    auto writer = open();
    ASSERT_TRUE(writer.ok());
    EXPECT_TRUE((*writer)->locked());
    for (const ContainerOptions& options : {ContainerOptions{}, reading}) {
      const auto other = open(options);
      ASSERT_FALSE(other.ok());
      EXPECT_EQ(other.error().code, ErrorCode::busy);
    }
    EXPECT_TRUE(open({.lock = false}).ok());
  }
  const auto reader = open(reading);
  const auto another = open(reading);
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(another.ok());
  const auto writer = open();
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, ErrorCode::busy);
}

TEST_F(FileDeviceTest, ReadOnlyNeverWrites) {
  auto device = open({.read_only = true, .discard = true});
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE((*device)->geometry().read_only);
  EXPECT_FALSE((*device)->geometry().can_discard);
  const Status status = (*device)->write(0, Bytes(512));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::read_only);
}

TEST_F(FileDeviceTest, FallsBackToReadingWhereWritingIsForbidden) {
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
  // Root may write anything: look with other eyes (file system identity of this thread).
  const bool root = geteuid() == 0;
  ASSERT_EQ(chmod(path_.c_str(), 0444), 0);
  if (root) setfsuid(65534);
  const auto container = open_container(path_, {});
  if (root) setfsuid(0);
  ASSERT_TRUE(container.ok());
  EXPECT_TRUE(container->read_only);
  ASSERT_EQ(chmod(path_.c_str(), 0), 0);
  if (root) setfsuid(65534);
  EXPECT_EQ(code_of(path_), ErrorCode::permission);
  if (root) setfsuid(0);
}

TEST_F(FileDeviceTest, WritingMovesTheModificationTime) {
  const timespec old[2] = {{1000000, 0}, {1000000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path_.c_str(), old, 0), 0);
  for (const DirectIo direct : {DirectIo::off, DirectIo::on}) {
    auto container = open_container(path_, {.direct = direct});
    ASSERT_TRUE(container.ok());
    ASSERT_TRUE(container->device->write(4096, Bytes(4096)).ok());
    ASSERT_TRUE(container->device->flush().ok());
    struct stat info {};
    ASSERT_EQ(stat(path_.c_str(), &info), 0);
    EXPECT_GT(info.st_mtime, 1000000);
  }
}

TEST_F(FileDeviceTest, DiscardPunchesHoles) {
  auto device = open({.direct = DirectIo::off, .discard = true});
  ASSERT_TRUE(device.ok());
  ASSERT_TRUE((*device)->write(0, random_bytes_of(file_bytes, 2)).ok());
  ASSERT_TRUE((*device)->flush().ok());
  struct stat before {};
  ASSERT_EQ(stat(path_.c_str(), &before), 0);
  ASSERT_TRUE((*device)->discard(65536, 131072).ok());
  struct stat after {};
  ASSERT_EQ(stat(path_.c_str(), &after), 0);
  EXPECT_EQ(after.st_size, before.st_size);
  EXPECT_LT(after.st_blocks, before.st_blocks);
}

TEST_F(FileDeviceTest, MemoryFileSystemsCountAsBuffered) {
  struct statfs info {};
  if (statfs("/dev/shm", &info) != 0 || info.f_type != 0x01021994) GTEST_SKIP() << "no tmpfs";
  const TempDir memory("/dev/shm");
  const auto device =
      FileDevice::open(memory.make_file("container", 65536), {.direct = DirectIo::on});
  ASSERT_TRUE(device.ok());
  EXPECT_FALSE((*device)->direct());
}

// A loop device over `path`; empty name: not possible here.
class LoopDevice {
 public:
  explicit LoopDevice(const std::string& path) {
    const int control = ::open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    if (control < 0) return;
    const int number = ioctl(control, LOOP_CTL_GET_FREE);
    close(control);
    if (number < 0) return;
    const std::string name = "/dev/loop" + std::to_string(number);
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    fd_ = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
    if (file >= 0 && fd_ >= 0 && ioctl(fd_, LOOP_SET_FD, file) == 0) name_ = name;
    if (file >= 0) close(file);
  }
  ~LoopDevice() {
    if (!name_.empty()) ioctl(fd_, LOOP_CLR_FD, 0);
    if (fd_ >= 0) close(fd_);
  }
  LoopDevice(const LoopDevice&) = delete;
  LoopDevice& operator=(const LoopDevice&) = delete;
  const std::string& name() const { return name_; }

 private:
  int fd_ = -1;
  std::string name_;
};

TEST_F(FileDeviceTest, BlockDevicesAreDirectAndClaimed) {
  const LoopDevice loop(path_);
  if (loop.name().empty()) GTEST_SKIP() << "no loop device to be had";
  auto container = open_container(loop.name(), {.discard = true});
  ASSERT_TRUE(container.ok()) << container.error().context;
  EXPECT_TRUE(container->direct);
  EXPECT_EQ(container->device->size(), file_bytes);
  const Bytes data = random_bytes_of(50000, 3);
  Bytes back(data.size());
  ASSERT_TRUE(container->device->write(777, data).ok());
  ASSERT_TRUE(container->device->flush().ok());
  ASSERT_TRUE(container->device->read(777, back).ok());
  EXPECT_EQ(back, data);
  EXPECT_TRUE(container->device->discard(777, 100000).ok());
  ASSERT_TRUE(container->device->read(777, MutableByteSpan(back).first(1000)).ok());
  EXPECT_TRUE(std::equal(back.begin(), back.begin() + 1000, data.begin()))
      << "parts of blocks are kept";
  EXPECT_EQ(code_of(loop.name()), ErrorCode::busy);
}

TEST_F(FileDeviceTest, OddSizesAreBufferedAndWhole) {
  const std::string odd = dir_.make_file("odd", 1000001);
  auto container = open_container(odd, {.direct = DirectIo::on});
  ASSERT_TRUE(container.ok());
  EXPECT_FALSE(container->direct);
  EXPECT_EQ(container->device->size(), 1000001U);
  EXPECT_TRUE(container->device->write(1000000, Bytes(1, 0x42)).ok());
}

}  // namespace
}  // namespace volt
