#include "blockdev/cut_device.h"

#include <gtest/gtest.h>

#include "blockdev/file_device.h"
#include "blockdev/planned_io.h"
#include "tests/test_devices.h"

namespace volt {
namespace {

constexpr std::uint64_t there = 65536 + 512;
constexpr std::uint64_t claimed = 131072;

class CutDeviceTest : public testing::Test {
 protected:
  CutDeviceTest() : data_(random_bytes_of(there, 3)) {
    DevicePtr child = memory_device(there);
    child_ = child.get();
    EXPECT_TRUE(child->write(0, data_).ok());
    auto made = CutDevice::create(std::move(child), claimed);
    EXPECT_TRUE(made.ok());
    device_ = *std::move(made);
  }

  Bytes data_;
  BlockDevice* child_ = nullptr;
  DevicePtr device_;
};

TEST_F(CutDeviceTest, ReadsUpToTheEndAndNotPastIt) {
  EXPECT_EQ(device_->size(), claimed);
  Bytes buffer(there);
  ASSERT_TRUE(device_->read(0, buffer).ok());
  EXPECT_EQ(buffer, data_);
  buffer.resize(512);
  EXPECT_TRUE(device_->read(there - 512, buffer).ok());
  for (const std::uint64_t offset : {there - 1, there - 511, there, claimed - 512}) {
    const Status status = device_->read(offset, buffer);
    ASSERT_FALSE(status.ok()) << offset;
    EXPECT_EQ(status.error().code, ErrorCode::io);
    EXPECT_EQ(status.error().detail, there);
  }
  EXPECT_EQ(device_->read(claimed - 511, buffer).error().code, ErrorCode::out_of_range);
}

TEST_F(CutDeviceTest, WritesAndDiscardsPastTheEndChangeNothing) {
  Bytes buffer = random_bytes_of(1024, 9);
  EXPECT_EQ(device_->write(there - 512, buffer).error().code, ErrorCode::io);
  EXPECT_EQ(device_->write_consuming(there, buffer).error().code, ErrorCode::io);
  Bytes now(there);
  ASSERT_TRUE(child_->read(0, now).ok());
  EXPECT_EQ(now, data_);
  EXPECT_TRUE(device_->write(there - 1024, buffer).ok());
  EXPECT_TRUE(device_->flush().ok());
}

TEST_F(CutDeviceTest, NothingPastTheEndIsPlanned) {
  TempDir dir;
  auto file = FileDevice::open(dir.make_file("container", there), {.direct = DirectIo::off});
  ASSERT_TRUE(file.ok());
  const auto device = CutDevice::create(*std::move(file), claimed);
  ASSERT_TRUE(device.ok());
  Bytes buffer(1024);
  PlannedIo io;
  io.memory = buffer;
  io.offset = there - 1024;
  ASSERT_TRUE((*device)->plan(&io));
  EXPECT_EQ(io.offset, there - 1024);
  EXPECT_GE(io.fd, 0);
  EXPECT_TRUE((*device)->finish(&io, buffer.size()).ok());
  PlannedIo past;
  past.memory = buffer;
  past.offset = there - 512;
  EXPECT_FALSE((*device)->plan(&past));
}

TEST_F(CutDeviceTest, SizesThatCannotBe) {
  EXPECT_EQ(CutDevice::create(memory_device(1024), 512).error().code, ErrorCode::out_of_range);
  EXPECT_EQ(CutDevice::create(memory_device(4096, 4096), 4608).error().code, ErrorCode::misaligned);
}

}  // namespace
}  // namespace volt
