#include "blockdev/layers/stats_device.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "blockdev/layers/guard_device.h"
#include "tests/support/device_candidates.h"
#include "tests/support/test_devices.h"

namespace volt {
namespace {

TEST(StatsDevice, CountsRequestsBytesAndLatencies) {
  StatsDevice device(memory_device(65536));
  Bytes data(4096);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(device.read(0, data).ok());
  ASSERT_TRUE(device.write(0, MutableByteSpan(data).first(100)).ok());
  ASSERT_TRUE(device.flush().ok());
  ASSERT_TRUE(device.discard(0, 4096).ok());
  EXPECT_EQ(device.counters(IoKind::read).requests, 3U);
  EXPECT_EQ(device.counters(IoKind::read).bytes, 12288U);
  EXPECT_EQ(device.counters(IoKind::read).latency.count(), 3U);
  EXPECT_EQ(device.counters(IoKind::write).requests, 1U);
  EXPECT_EQ(device.counters(IoKind::write).bytes, 100U);
  EXPECT_EQ(device.counters(IoKind::flush).requests, 1U);
  EXPECT_EQ(device.counters(IoKind::discard).bytes, 4096U);
  Error error;
  EXPECT_FALSE(device.last_error(&error));
}

TEST(StatsDevice, CountsErrorsAndKeepsTheLast) {
  const FaultRule rule{.kind = IoKind::flush,
                       .nth = 1,
                       .count = 1,
                       .error = {ErrorCode::no_space, ENOSPC, "test", 0}};
  StatsDevice device(std::make_unique<FaultDevice>(memory_device(65536), FaultPlan{1, {rule}}));
  ASSERT_FALSE(device.flush().ok());
  ASSERT_TRUE(device.flush().ok());
  EXPECT_EQ(device.counters(IoKind::flush).requests, 2U);
  EXPECT_EQ(device.counters(IoKind::flush).errors, 1U);
  Error error;
  ASSERT_TRUE(device.last_error(&error));
  EXPECT_EQ(error.code, ErrorCode::no_space);
  EXPECT_EQ(error.sys_errno, ENOSPC);
  EXPECT_STREQ(error.context, "test");
}

TEST(StatsDevice, RefusedWritesAreVisible) {
  StatsDevice device(std::make_unique<GuardDevice>(memory_device(65536), 4096, 8192));
  Bytes data(1024);
  EXPECT_TRUE(device.write(4096 - 1024, data).ok());
  EXPECT_TRUE(device.write(8192, data).ok());
  for (const std::uint64_t offset : {4096U - 1U, 4096U, 8191U}) {
    const Status status = device.write(offset, data);
    ASSERT_FALSE(status.ok()) << offset;
    EXPECT_EQ(status.error().code, ErrorCode::refused);
  }
  EXPECT_FALSE(device.write(0, Bytes(65536)).ok());
  EXPECT_FALSE(device.discard(0, 65536).ok());
  EXPECT_TRUE(device.read(4096, data).ok());
  EXPECT_EQ(device.refused_writes(), 5U);
  EXPECT_EQ(device.counters(IoKind::write).errors, 4U);
}

TEST(PlainStack, ProtectionAndStatisticsAreInPlace) {
  StatsDevice* stats = nullptr;
  const StackOptions options{.protect_from_bytes = 4096, .protect_to_bytes = 8192};
  const auto device = compose_plain(memory_device(65536), options, &stats);
  ASSERT_TRUE(device.ok());
  ASSERT_EQ(static_cast<BlockDevice*>(stats), device->get());
  EXPECT_FALSE((*device)->geometry().can_discard) << "off by default";
  EXPECT_FALSE((*device)->write(5000, Bytes(1)).ok());
  EXPECT_TRUE((*device)->write(9000, Bytes(1)).ok());
  EXPECT_EQ(stats->refused_writes(), 1U);
}

TEST(PlainStack, ReadOnlyIsReadOnly) {
  const auto device = compose_plain(memory_device(65536), {.read_only = true}, nullptr);
  ASSERT_TRUE(device.ok());
  const Status status = (*device)->write(0, Bytes(1));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::read_only);
}

}  // namespace
}  // namespace volt
