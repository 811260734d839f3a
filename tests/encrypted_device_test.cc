#include "blockdev/encrypted_device.h"

#include <atomic>
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/device_candidates.h"
#include "tests/test_devices.h"

// Counts what the program takes from the heap.
namespace {
std::atomic<std::uint64_t> allocations{0};
}
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace volt {
namespace {

// A device that another part of the test looks into.
class SharedDevice final : public BlockDevice {
 public:
  explicit SharedDevice(BlockDevice& target) noexcept
      : BlockDevice(target.geometry()), target_(target) {}

 private:
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override {
    return target_.read(offset, buffer);
  }
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override {
    return target_.write(offset, buffer);
  }
  Status do_flush() noexcept override { return target_.flush(); }

  BlockDevice& target_;
};

TEST(EncryptedDevice, UnitsAreNumberedFromTheFirst) {
  constexpr std::uint64_t first_unit = 256;
  const DevicePtr below = memory_device(1048576);
  const DevicePtr device =
      encrypted(std::make_unique<SharedDevice>(*below), cascade("serpent-aes"), first_unit);
  const auto cipher = cascade("serpent-aes");
  for (const std::size_t length : {512U, 4096U, 16384U, 16896U, 65536U, 200704U}) {
    const std::uint64_t offset = 5 * unit_bytes;
    const Bytes data = random_bytes_of(length, length);
    ASSERT_TRUE(device->write(offset, data).ok());
    Bytes expected(length);
    cipher->encrypt_units(first_unit + 5, data.data(), expected.data(), length / unit_bytes);
    Bytes stored(length);
    ASSERT_TRUE(below->read(offset, stored).ok());
    ASSERT_EQ(stored, expected) << length;

    Bytes given_away = random_bytes_of(length, length + 1);
    cipher->encrypt_units(first_unit + 5, given_away.data(), expected.data(), length / unit_bytes);
    ASSERT_TRUE(device->write_consuming(offset, given_away).ok());
    ASSERT_TRUE(below->read(offset, stored).ok());
    ASSERT_EQ(stored, expected) << length;
  }
}

// The cipher alone says how long a data unit is; requests are whole ones, numbered in them.
TEST(EncryptedDevice, UnitsAreAsLongAsTheCipherSays) {
  constexpr std::size_t unit = 4096;
  const DevicePtr below = memory_device(1048576 + 512);
  auto pool_cipher = ToyCipher(unit);
  auto pool = CryptoPool::create(pool_cipher, 2, 1);
  ASSERT_TRUE(pool.ok());
  const auto made = EncryptedDevice::create(std::make_unique<SharedDevice>(*below),
                                            std::make_unique<ToyCipher>(unit), 9, *std::move(pool));
  ASSERT_TRUE(made.ok());
  BlockDevice& device = **made;
  EXPECT_EQ(device.geometry().alignment_bytes, unit);
  EXPECT_EQ(device.size(), 1048576U);
  for (const std::size_t length : {4096U, 20480U, 524288U}) {
    const Bytes data = random_bytes_of(length, length);
    ASSERT_TRUE(device.write(2 * unit, data).ok());
    Bytes expected(length);
    pool_cipher.encrypt_units(9 + 2, data.data(), expected.data(), length / unit);
    Bytes stored(length);
    ASSERT_TRUE(below->read(2 * unit, stored).ok());
    ASSERT_EQ(stored, expected) << length;
    ASSERT_TRUE(device.read(2 * unit, stored).ok());
    ASSERT_EQ(stored, data) << length;
  }
  const Status half = device.write(512, Bytes(512));
  ASSERT_FALSE(half.ok());
  EXPECT_EQ(half.error().code, ErrorCode::misaligned);
  for (const std::size_t odd : {std::size_t{0}, std::size_t{520}}) {
    EXPECT_FALSE(
        EncryptedDevice::create(memory_device(65536), std::make_unique<ToyCipher>(odd), 0).ok());
  }
}

TEST(EncryptedDevice, UnitNumbersMayNotWrap) {
  const auto device = EncryptedDevice::create(memory_device(1048576), std::make_unique<ToyCipher>(),
                                              UINT64_MAX - 2047);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(EncryptedDevice::create(memory_device(1048576), std::make_unique<ToyCipher>(),
                                      UINT64_MAX - 2048)
                  .ok());
}

TEST(EncryptedDevice, AFailedReadLeavesNothingBehind) {
  constexpr std::size_t length = 524288;
  for (std::uint64_t nth = 1;; ++nth) {
    auto fault = std::make_unique<FaultDevice>(memory_device(length), FaultPlan{});
    FaultDevice& faults = *fault;
    const DevicePtr device = encrypted(std::move(fault), std::make_unique<ToyCipher>());
    ASSERT_TRUE(device->write(0, random_bytes_of(length, 1)).ok());
    FaultRule rule{.kind = IoKind::read};
    rule.nth = nth;
    faults.arm({.rules = {rule}});
    Bytes back(length);
    const Status status = device->read(0, back);
    if (status.ok()) {
      EXPECT_GT(nth, 1U);
      return;
    }
    EXPECT_EQ(back, Bytes(length)) << "read " << nth << " failed";
  }
}

TEST(Stack, NothingIsAllocatedPerRequest) {
  const DevicePtr device = std::make_unique<StatsDevice>(aligned(encrypted(
      sliced(aligned(picky(memory_device(4194304))), 131072, 131072), cascade("aes-twofish"))));
  Bytes data = random_bytes_of(1048576, 1);
  const std::uint64_t before = allocations;
  for (const std::size_t length : {1U, 512U, 4096U, 5000U, 70001U, 1048576U}) {
    for (const std::uint64_t offset : {0U, 3U, 4096U}) {
      ASSERT_TRUE(device->write(offset, MutableByteSpan(data).first(length)).ok());
      ASSERT_TRUE(device->read(offset, MutableByteSpan(data).first(length)).ok());
    }
  }
  ASSERT_TRUE(device->flush().ok());
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace volt
