// The devices that misbehave must misbehave as told.
#include "blockdev/simulate/fault_device.h"

#include <bit>

#include <gtest/gtest.h>

#include "blockdev/device/clock.h"
#include "blockdev/simulate/crash_device.h"
#include "blockdev/simulate/delay_device.h"
#include "tests/support/device_candidates.h"
#include "tests/support/test_devices.h"

namespace volt {
namespace {

constexpr std::uint64_t device_bytes = 65536;

class FaultDeviceTest : public testing::Test {
 protected:
  FaultDeviceTest() : device_(memory_device(device_bytes), {}) {
    EXPECT_TRUE(device_.write(0, old_).ok());
  }
  void arm(FaultKind fault, IoKind kind, std::uint64_t nth = 1) {
    FaultRule rule{.fault = fault, .kind = kind};
    rule.nth = nth;
    device_.arm({.seed = 5, .rules = {rule}});
  }
  Bytes content() {
    device_.arm({});
    Bytes all(device_bytes);
    EXPECT_TRUE(device_.read(0, all).ok());
    return all;
  }
  static int differing_bits(const Bytes& a, const Bytes& b) {
    int bits = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      bits += std::popcount(static_cast<unsigned>(a[i] ^ b[i]));
    }
    return bits;
  }

  const Bytes old_ = random_bytes_of(device_bytes, 1);
  const Bytes new_ = random_bytes_of(8192, 2);
  FaultDevice device_;
};

TEST_F(FaultDeviceTest, OnlyTheNthCallOfItsKindFails) {
  arm(FaultKind::fail, IoKind::flush, 2);
  Bytes data(512);
  EXPECT_TRUE(device_.read(0, data).ok());
  EXPECT_TRUE(device_.flush().ok());
  EXPECT_TRUE(device_.write(0, data).ok());
  EXPECT_FALSE(device_.flush().ok());
  EXPECT_TRUE(device_.flush().ok());
  EXPECT_EQ(device_.strikes(), 1U);
  EXPECT_EQ(device_.calls(), 5U);
}

TEST_F(FaultDeviceTest, LostWriteLeavesOldBytes) {
  arm(FaultKind::lost_write, IoKind::write);
  EXPECT_TRUE(device_.write(4096, new_).ok());
  EXPECT_EQ(content(), old_);
}

TEST_F(FaultDeviceTest, TornWriteKeepsALeadingPart) {
  arm(FaultKind::torn_write, IoKind::write);
  EXPECT_FALSE(device_.write(4096, new_).ok());
  const Bytes now = content();
  std::size_t kept = 0;
  while (kept < new_.size() && now[4096 + kept] == new_[kept]) ++kept;
  kept = align_down(kept, unit_bytes);
  EXPECT_LT(kept, new_.size());
  Bytes expected = old_;
  std::copy_n(new_.begin(), kept, expected.begin() + 4096);
  EXPECT_EQ(now, expected);
}

TEST_F(FaultDeviceTest, MisdirectedWriteLandsElsewhere) {
  arm(FaultKind::misdirected_write, IoKind::write);
  EXPECT_TRUE(device_.write(4096, new_).ok());
  const Bytes now = content();
  EXPECT_NE(now, old_);
  const auto at = std::search(now.begin(), now.end(), new_.begin(), new_.end());
  ASSERT_NE(at, now.end());
  EXPECT_NE(at - now.begin(), 4096);
}

TEST_F(FaultDeviceTest, BitFlipsAreOneBit) {
  arm(FaultKind::bit_flip, IoKind::read);
  Bytes back(device_bytes);
  EXPECT_TRUE(device_.read(0, back).ok());
  EXPECT_EQ(differing_bits(back, old_), 1);
  arm(FaultKind::bit_flip, IoKind::write);
  EXPECT_TRUE(device_.write(0, old_).ok());
  EXPECT_EQ(differing_bits(content(), old_), 1);
}

TEST_F(FaultDeviceTest, StaleReadShowsThePast) {
  arm(FaultKind::stale_read, IoKind::read);
  EXPECT_TRUE(device_.write(4096, new_).ok());
  Bytes back(new_.size());
  EXPECT_TRUE(device_.read(4096, back).ok());
  EXPECT_TRUE(std::equal(back.begin(), back.end(), old_.begin() + 4096));
  EXPECT_TRUE(device_.read(4096, back).ok());
  EXPECT_EQ(back, new_);
}

TEST(DelayDevice, AddsLatencyAndLimitsTheRate) {
  ManualClock clock;
  DelayDevice device(memory_device(1048576), {.latency_ns = 5000, .bytes_per_second = 1000000},
                     clock);
  Bytes data(1000);
  ASSERT_TRUE(device.read(0, data).ok());
  EXPECT_EQ(clock.now_ns(), 1000000U + 5000U);
  ASSERT_TRUE(device.flush().ok());
  EXPECT_EQ(clock.now_ns(), 1000000U + 5000U + 5000U);
  ASSERT_TRUE(device.write(0, data).ok());
  EXPECT_EQ(clock.now_ns(), 2 * 1000000U + 3 * 5000U);
}

// Power failures at random moments: whatever a flush acknowledged is there, and every other unit is
// one of the versions that were written since.
class CrashTest : public testing::TestWithParam<CrashKind> {};

TEST_P(CrashTest, FlushedDataSurvives) {
  const std::uint64_t seed = 77;
  SCOPED_TRACE(seed);
  std::uint64_t random = seed;
  auto disk = std::make_unique<CrashDevice>(memory_device(131072));
  CrashDevice& power = *disk;
  const DevicePtr device = aligned(encrypted(std::move(disk), std::make_unique<ToyCipher>()));
  Bytes now(device->size());
  ASSERT_TRUE(device->write(0, now).ok());
  ASSERT_TRUE(device->flush().ok());
  Bytes flushed = now;
  for (int round = 0; round < 60; ++round) {
    std::vector<Bytes> since{flushed};
    const std::uint64_t writes = next_random(&random) % 8;
    for (std::uint64_t i = 0; i < writes; ++i) {
      const std::uint64_t offset = next_random(&random) % now.size();
      const std::uint64_t room = std::min<std::uint64_t>(now.size() - offset, 3000);
      const Bytes data = random_bytes_of(next_random(&random) % room + 1, next_random(&random));
      ASSERT_TRUE(device->write(offset, data).ok());
      std::copy(data.begin(), data.end(), now.begin() + static_cast<std::ptrdiff_t>(offset));
      since.push_back(now);
      if (next_random(&random) % 4 != 0) continue;
      ASSERT_TRUE(device->flush().ok());
      since = {now};
    }
    ASSERT_TRUE(power.crash(GetParam(), next_random(&random)).ok());
    EXPECT_EQ(power.volatile_units(), 0U);
    Bytes after(now.size());
    ASSERT_TRUE(device->read(0, after).ok());
    for (std::size_t unit = 0; unit < after.size(); unit += unit_bytes) {
      const bool known = std::any_of(since.begin(), since.end(), [&](const Bytes& version) {
        return std::equal(version.begin() + static_cast<std::ptrdiff_t>(unit),
                          version.begin() + static_cast<std::ptrdiff_t>(unit + unit_bytes),
                          after.begin() + static_cast<std::ptrdiff_t>(unit));
      });
      ASSERT_TRUE(known) << "round " << round << " unit " << unit / unit_bytes;
    }
    if (GetParam() == CrashKind::lose_all) {
      ASSERT_EQ(after, since.front());
    }
    now = after;
    flushed = after;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, CrashTest,
                         testing::Values(CrashKind::lose_all, CrashKind::lose_some));

}  // namespace
}  // namespace volt
