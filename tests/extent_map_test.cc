// Which part of a volume lies where: the map, and the device that reads by it.
#include "blockdev/extent_map.h"

#include <cstring>

#include <gtest/gtest.h>

#include "tests/device_candidates.h"
#include "tests/test_devices.h"

namespace volt {
namespace {

void expect_refused(std::vector<Extent> extents, const char* why, std::uint64_t offset) {
  const auto map = ExtentMap::create(std::move(extents));
  ASSERT_FALSE(map.ok()) << why;
  EXPECT_EQ(map.error().code, ErrorCode::invalid_argument);
  EXPECT_STREQ(map.error().context, why);
  EXPECT_EQ(map.error().detail, offset) << why;
}

TEST(ExtentMap, RefusesWhatIsNoMap) {
  const std::uint64_t far = UINT64_MAX - 511;
  expect_refused({}, "extent map without extents", 0);
  expect_refused({Extent::zeros(0, 0)}, "extent of no length", 0);
  expect_refused({Extent::plain(512, 512, 0, false)}, "gap between extents", 0);
  expect_refused({Extent::zeros(0, 512), Extent::zeros(1024, 512)}, "gap between extents", 512);
  expect_refused({Extent::zeros(0, 1024), Extent::zeros(512, 512)}, "extents overlap", 512);
  expect_refused({Extent::zeros(0, 512), Extent::zeros(0, 512)}, "extents overlap", 0);
  expect_refused({Extent::zeros(far, 1024)}, "extent past the largest offset", far);
  expect_refused({Extent::plain(0, 1024, far, false)}, "extent past the largest offset", 0);
  expect_refused({{ExtentKind::encrypted, 0, 1024, 0, far, false}},
                 "extent past the largest offset", 0);
  expect_refused({{ExtentKind::zero, 0, 512, 0, 0, true}},
                 "writable extent of zeros, which lie nowhere", 0);
}

TEST(ExtentMap, OnlyWhatNobodyWritesIsShared) {
  const char* const why = "writable part of the container in two extents";
  expect_refused({Extent::plain(0, 1024, 0, true), Extent::plain(1024, 512, 512, false)}, why,
                 1024);
  expect_refused({Extent::plain(0, 1024, 0, false), Extent::plain(1024, 512, 512, true)}, why,
                 1024);
  // One that nobody writes between them hides nothing.
  expect_refused({Extent::plain(0, 4096, 0, true), Extent::zeros(4096, 512),
                  Extent::plain(4608, 512, 8192, false), Extent::plain(5120, 512, 3584, false)},
                 why, 5120);
  EXPECT_TRUE(
      ExtentMap::create({Extent::plain(0, 1024, 0, false), Extent::plain(1024, 512, 512, false)})
          .ok());
}

TEST(ExtentMap, SortsJoinsAndFinds) {
  const auto map = ExtentMap::create({
      Extent::encrypted(4096, 512, 8192, true),
      Extent::encrypted(0, 2048, 4096, true),
      Extent::encrypted(2048, 2048, 6144, true),           // goes on
      Extent::encrypted(4608, 512, 8704, false),           // goes on, but may not be written
      {ExtentKind::encrypted, 5120, 512, 9216, 0, false},  // goes on, but is numbered otherwise
      Extent::zeros(5632, 512),
      Extent::zeros(6144, 512),
      Extent::plain(6656, 512, 0, false),
  });
  ASSERT_TRUE(map.ok());
  const std::vector<Extent> expected{
      Extent::encrypted(0, 4608, 4096, true),
      Extent::encrypted(4608, 512, 8704, false),
      {ExtentKind::encrypted, 5120, 512, 9216, 0, false},
      Extent::zeros(5632, 1024),
      Extent::plain(6656, 512, 0, false),
  };
  EXPECT_EQ(std::vector<Extent>(map->extents().begin(), map->extents().end()), expected);
  EXPECT_EQ(map->size_bytes(), 7168U);
  EXPECT_TRUE(map->has_encrypted());
  EXPECT_TRUE(map->has_writable());
  for (const Extent& extent : expected) {
    EXPECT_EQ(map->find(extent.offset), extent);
    EXPECT_EQ(map->find(extent.end() - 1), extent);
  }
}

TEST(ExtentMap, FitsItsContainer) {
  const auto map = ExtentMap::create(
      {Extent::encrypted(0, 4096, 1024, true), Extent::plain(4096, 512, 0, false)});
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map->alignment_bytes(1, 512), 512U);
  EXPECT_EQ(map->alignment_bytes(4096, 512), 4096U);
  EXPECT_TRUE(map->check_container(5120, 512, 512).ok());
  const Status short_one = map->check_container(5119, 1, 512);
  ASSERT_FALSE(short_one.ok());
  EXPECT_EQ(short_one.error().code, ErrorCode::out_of_range);
  const Status blocks = map->check_container(8192, 4096, 512);
  ASSERT_FALSE(blocks.ok());
  EXPECT_EQ(blocks.error().code, ErrorCode::misaligned);
  const Status units = map->check_container(8192, 1, 4096);
  ASSERT_FALSE(units.ok()) << "numbered from 1024, or half a unit of plain";
  EXPECT_EQ(units.error().code, ErrorCode::misaligned);
  const auto bytes = ExtentMap::create({Extent::plain(0, 511, 0, true)});
  ASSERT_TRUE(bytes.ok());
  EXPECT_FALSE(bytes->check_container(8192, 1, 1).ok()) << "512 bytes must not lie in two extents";
}

// As a half-converted volume is: its first sectors moved, metadata that reads as zeros, an
// encrypted part, and one that is not yet.
class ExtentMapDeviceTest : public testing::Test {
 protected:
  static constexpr std::uint64_t container_bytes = 131072;
  static constexpr std::uint64_t moved = 65536;

  void SetUp() override {
    container_bytes_ = random_bytes_of(container_bytes, 1);
    ASSERT_TRUE(container_.write(0, container_bytes_).ok());
    auto map = ExtentMap::create({
        Extent::encrypted(0, 8192, moved, false),
        Extent::encrypted(8192, moved - 8192, 8192, true),
        Extent::zeros(moved, 16384),
        Extent::plain(moved + 16384, container_bytes - moved - 16384, moved + 16384, true),
    });
    ASSERT_TRUE(map.ok());
    auto device = ExtentMapDevice::create(std::make_unique<BorrowedDevice>(container_),
                                          *std::move(map), cascade("aes"));
    ASSERT_TRUE(device.ok());
    device_ = *std::move(device);
  }
  void expect_container() {
    Bytes now(container_bytes);
    ASSERT_TRUE(container_.read(0, now).ok());
    ASSERT_EQ(now, container_bytes_);
  }

  AnonymousFile container_{container_bytes};
  Bytes container_bytes_;
  DevicePtr device_;
};

TEST_F(ExtentMapDeviceTest, ReadsEachPartAsWhatItIs) {
  Bytes expected = container_bytes_;
  std::memcpy(expected.data(), container_bytes_.data() + moved, 8192);
  const auto cipher = cascade("aes");
  cipher->decrypt_units(moved / 512, expected.data(), expected.data(), 16);
  cipher->decrypt_units(16, expected.data() + 8192, expected.data() + 8192, (moved - 8192) / 512);
  std::memset(expected.data() + moved, 0, 16384);
  Bytes volume(container_bytes);
  ASSERT_TRUE(device_->read(0, volume).ok());
  EXPECT_EQ(volume, expected);
}

TEST_F(ExtentMapDeviceTest, RefusesWritesWhole) {
  const std::uint64_t borders[] = {0, 8192 - 512, moved - 512, moved + 16384 - 512};
  for (const std::uint64_t offset : borders) {
    Bytes data = random_bytes_of(1024, 2);
    const Bytes before = data;
    for (const bool consuming : {false, true}) {
      const Status status =
          consuming ? device_->write_consuming(offset, data) : device_->write(offset, data);
      ASSERT_FALSE(status.ok()) << offset;
      EXPECT_EQ(status.error().code, ErrorCode::permission);
    }
    PlannedIo io;
    io.write = true;
    io.offset = offset;
    io.memory = data;
    EXPECT_FALSE(device_->plan(&io)) << offset;
    EXPECT_EQ(data, before);
  }
  expect_container();
  EXPECT_FALSE(device_->geometry().read_only);
}

TEST_F(ExtentMapDeviceTest, PlansInsideOneExtent) {
  Bytes data(1024);
  PlannedIo io;
  io.memory = data;
  const auto plans_at = [&](std::uint64_t offset) {
    io.offset = offset;
    const bool planned = device_->plan(&io);
    if (planned) {
      EXPECT_TRUE(device_->finish(&io, transfer(io)).ok());
    }
    return planned;
  };
  EXPECT_TRUE(plans_at(0));
  EXPECT_EQ(io.offset, moved);
  EXPECT_TRUE(plans_at(8192));
  EXPECT_TRUE(plans_at(moved + 16384));
  EXPECT_FALSE(plans_at(8192 - 512)) << "meets two";
  EXPECT_FALSE(plans_at(moved)) << "lies nowhere";
}

TEST_F(ExtentMapDeviceTest, AFailedReadLeavesNothingOfTheExtentsBefore) {
  auto fault = std::make_unique<FaultDevice>(std::make_unique<BorrowedDevice>(container_),
                                             FaultPlan{.rules = {{.nth = 2}}});
  auto map = ExtentMap::create(
      {Extent::encrypted(0, 4096, 0, false), Extent::plain(4096, 4096, 8192, false)});
  ASSERT_TRUE(map.ok());
  const auto device =
      ExtentMapDevice::create(std::move(fault), *std::move(map), std::make_unique<ToyCipher>());
  ASSERT_TRUE(device.ok());
  Bytes back = random_bytes_of(8192, 5);
  ASSERT_FALSE((*device)->read(0, back).ok());
  EXPECT_EQ(back, Bytes(8192));
}

TEST(ExtentMapDevice, IsReadOnlyWhereNothingMayBeWritten) {
  auto map = ExtentMap::create({Extent::plain(0, 4096, 0, false), Extent::zeros(4096, 512)});
  ASSERT_TRUE(map.ok());
  const auto device = ExtentMapDevice::create(memory_device(8192), *std::move(map), nullptr);
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE((*device)->geometry().read_only);
  EXPECT_FALSE((*device)->geometry().can_discard);
  EXPECT_EQ((*device)->size(), 4608U);
}

TEST(ExtentMapDevice, WantsACipherAndAContainerThatHoldsIt) {
  const auto map = ExtentMap::create({Extent::encrypted(0, 4096, 4096, true)});
  ASSERT_TRUE(map.ok());
  const auto keyless = ExtentMapDevice::create(memory_device(8192), *map, nullptr);
  ASSERT_FALSE(keyless.ok());
  EXPECT_EQ(keyless.error().code, ErrorCode::invalid_argument);
  const auto small =
      ExtentMapDevice::create(memory_device(4096), *map, std::make_unique<ToyCipher>());
  ASSERT_FALSE(small.ok());
  EXPECT_EQ(small.error().code, ErrorCode::out_of_range);
}

}  // namespace
}  // namespace volt
