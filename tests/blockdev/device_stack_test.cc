// The composed stacks: what lies where, what is refused, what survives faults below.
#include "blockdev/stack/device_stack.h"

#include <gtest/gtest.h>

#include "blockdev/formats/veracrypt/veracrypt_volume.h"
#include "tests/support/device_candidates.h"

namespace volt {
namespace {

constexpr std::uint64_t container_bytes = 1048576;
constexpr std::uint64_t data_offset = 131072;
constexpr std::uint64_t data_bytes = container_bytes - 2 * data_offset;

UnlockedVolume unlocked(const char* cipher) {
  UnlockedVolume volume;
  volume.cascade = find_cascade(cipher);
  volume.geometry = {.data_offset_bytes = data_offset,
                     .data_bytes = data_bytes,
                     .first_unit = data_offset / unit_bytes,
                     .sector_bytes = 512};
  volume.kdf = find_kdf(VolumeFormat::veracrypt, PrfId::sha512, false);
  volume.keys = *SecureBuffer::copy_of(random_bytes_of(header_key_area_bytes, 8));
  return volume;
}

OpenedVolumePtr opened(const char* cipher) {
  return *VeracryptVolume::create(unlocked(cipher), container_bytes);
}

class SharedMemory final : public BlockDevice {
 public:
  explicit SharedMemory(BlockDevice& target) noexcept
      : BlockDevice(target.geometry()), target_(target) {}

 private:
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override {
    return target_.read(offset, buffer);
  }
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override {
    return target_.write(offset, buffer);
  }
  Status do_flush() noexcept override { return target_.flush(); }
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override {
    return target_.discard(offset, length);
  }

  BlockDevice& target_;
};

TEST(VolumeStack, DataLiesWhereTheHeaderSays) {
  constexpr const char* cascade = "aes-twofish-serpent";
  const DevicePtr container = memory_device(container_bytes);
  StatsDevice* stats = nullptr;
  const auto device =
      compose_volume(std::make_unique<SharedMemory>(*container), *opened(cascade), {}, &stats);
  ASSERT_TRUE(device.ok());
  ASSERT_EQ((*device)->size(), data_bytes);
  EXPECT_EQ((*device)->geometry().alignment_bytes, 1U);
  const Bytes data = random_bytes_of(data_bytes, 2);
  ASSERT_TRUE((*device)->write(0, data).ok());
  EXPECT_EQ(stats->counters(IoKind::write).bytes, data_bytes);

  const auto cipher = make_volume_cipher(unlocked(cascade));
  ASSERT_TRUE(cipher.ok());
  Bytes expected(data_bytes);
  (*cipher)->encrypt_units(data_offset / unit_bytes, data.data(), expected.data(),
                           data_bytes / unit_bytes);
  Bytes stored(container_bytes);
  ASSERT_TRUE(container->read(0, stored).ok());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), stored.begin() + data_offset));
  const Bytes zeros(data_offset);
  EXPECT_TRUE(std::equal(zeros.begin(), zeros.end(), stored.begin())) << "headers";
  EXPECT_TRUE(std::equal(zeros.begin(), zeros.end(), stored.end() - data_offset)) << "backups";
}

TEST(VolumeStack, ProtectionCountsFromTheContainer) {
  StatsDevice* stats = nullptr;
  const StackOptions options{.discard = true,
                             .protect_from_bytes = data_offset + 65536,
                             .protect_to_bytes = container_bytes - data_offset};
  const auto device =
      compose_volume(memory_device(container_bytes), *opened("aes"), options, &stats);
  ASSERT_TRUE(device.ok());
  const Bytes data = random_bytes_of(1000, 1);
  EXPECT_TRUE((*device)->write(65536 - 1000, data).ok());
  // Refused whole: what lies before the border is not written either.
  const Status status = (*device)->write(65536 - 999, Bytes(1000));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::refused);
  Bytes back(1000);
  ASSERT_TRUE((*device)->read(65536 - 1000, back).ok());
  EXPECT_EQ(back, data);
  EXPECT_FALSE((*device)->write(data_bytes - 1, Bytes(1)).ok());
  EXPECT_FALSE((*device)->discard(0, data_bytes).ok());
  EXPECT_TRUE((*device)->discard(0, 65536).ok());
  EXPECT_EQ(stats->refused_writes(), 3U);
}

TEST(VolumeStack, ReadOnlyAndDiscardAreAsTheOptionsSay) {
  const auto reading =
      compose_volume(memory_device(container_bytes), *opened("aes"), {.read_only = true}, nullptr);
  ASSERT_TRUE(reading.ok());
  const Status status = (*reading)->write(0, Bytes(1));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::read_only);
  const auto plain = compose_volume(memory_device(container_bytes), *opened("aes"), {}, nullptr);
  ASSERT_TRUE(plain.ok());
  EXPECT_FALSE((*plain)->geometry().can_discard);
}

TEST(VolumeStack, AnAreaPastTheContainerIsOnlyReadAndNeverAsZeros) {
  const auto cut = [] { return memory_device(data_offset + data_bytes - 4096); };
  const auto device = compose_volume(cut(), *opened("aes"), {}, nullptr);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().code, ErrorCode::bad_header);
  StackOptions options;
  options.read_only = true;
  const auto reading = compose_volume(cut(), *opened("aes"), options, nullptr);
  ASSERT_TRUE(reading.ok());
  EXPECT_EQ((*reading)->size(), data_bytes);
  Bytes bytes(4096);
  EXPECT_TRUE((*reading)->read(data_bytes - 8192, bytes).ok());
  const Status past = (*reading)->read(data_bytes - 4096, bytes);
  ASSERT_FALSE(past.ok());
  EXPECT_EQ(past.error().code, ErrorCode::io);
}

TEST(VolumeStack, ErrorsFromBelowComeOutAndAreCounted) {
  auto fault = std::make_unique<FaultDevice>(memory_device(container_bytes), FaultPlan{});
  FaultDevice& faults = *fault;
  StatsDevice* stats = nullptr;
  const auto device = compose_volume(std::move(fault), *opened("serpent"), {}, &stats);
  ASSERT_TRUE(device.ok());
  const FaultRule full{.kind = IoKind::write,
                       .nth = 1,
                       .count = 1,
                       .error = {ErrorCode::no_space, ENOSPC, "disk full", 0}};
  faults.arm({.seed = 1, .rules = {full}});
  const Status status = (*device)->write(5, Bytes(100));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::no_space);
  EXPECT_TRUE((*device)->write(5, Bytes(100)).ok());
  EXPECT_EQ(stats->counters(IoKind::write).errors, 1U);
  Error last;
  ASSERT_TRUE(stats->last_error(&last));
  EXPECT_EQ(last.sys_errno, ENOSPC);
}

}  // namespace
}  // namespace volt
