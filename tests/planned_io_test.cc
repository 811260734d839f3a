// Requests taken apart by plan(), transferred by io_uring, ended by finish(): what read() and
// write() would have done.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "blockdev/borrowed_device.h"
#include "blockdev/file_device.h"
#include "blockdev/guard_device.h"
#include "blockdev/io_ring.h"
#include "blockdev/stats_device.h"
#include "tests/device_candidates.h"
#include "tests/test_devices.h"

namespace volt {
namespace {

constexpr std::uint64_t container_bytes = 2 * 1048576;
constexpr std::uint64_t data_offset = 131072;

class PlannedIoTest : public testing::Test {
 protected:
  void SetUp() override {
    auto file = FileDevice::open(dir_.make_file("container", container_bytes), {});
    ASSERT_TRUE(file.ok());
    // As over a direct file: blocks at the bottom, bytes above.
    DevicePtr blocks = aligned(*std::move(file));
    device_ = std::make_unique<StatsDevice>(aligned(
        encrypted(sliced(std::move(blocks), data_offset, data_offset), cascade("serpent-aes"))));
    model_ = random_bytes_of(device_->size(), 1);
    ASSERT_TRUE(device_->write(0, model_).ok());
  }

  static PlannedIo request(bool write, std::uint64_t offset, MutableByteSpan memory) {
    PlannedIo io;
    io.write = write;
    io.offset = offset;
    io.memory = memory;
    return io;
  }
  void expect_model() {
    Bytes back(device_->size());
    ASSERT_TRUE(device_->read(0, back).ok());
    ASSERT_EQ(back, model_);
  }

  TempDir dir_;
  std::unique_ptr<StatsDevice> device_;
  Bytes model_;
};

TEST_F(PlannedIoTest, ReadsAndWritesWhatTheCallsWould) {
  std::uint64_t random = 5;
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t length = (1 + next_random(&random) % 64) * unit_bytes;
    const std::uint64_t offset = next_random(&random) % (model_.size() - length) / 512 * 512;
    Bytes data = random_bytes_of(length, next_random(&random));
    const bool write = round % 2 == 0;
    if (write) std::copy(data.begin(), data.end(), model_.begin() + static_cast<long>(offset));
    PlannedIo io = request(write, offset, data);
    ASSERT_TRUE(device_->plan(&io)) << offset << " " << length;
    EXPECT_EQ(io.offset, offset + data_offset);
    ASSERT_TRUE(device_->finish(&io, transfer(io)).ok());
    if (!write) {
      ASSERT_TRUE(std::equal(data.begin(), data.end(), model_.begin() + static_cast<long>(offset)));
    }
  }
  expect_model();
  EXPECT_EQ(device_->counters(IoKind::write).requests, 1U + 100U);
  EXPECT_EQ(device_->counters(IoKind::read).requests, 100U + 1U);
}

TEST_F(PlannedIoTest, ManyAtOnceThroughARing) {
  constexpr std::size_t depth = 16;
  auto ring = IoRing::create(depth);
  if (!ring.ok()) GTEST_SKIP() << "no io_uring here";
  constexpr std::size_t length = 4096;
  std::vector<Bytes> data;
  std::vector<PlannedIo> requests(depth);
  for (int round = 0; round < 20; ++round) {
    data.clear();
    for (std::size_t i = 0; i < depth; ++i) {
      const bool write = i % 2 == 0;
      data.push_back(random_bytes_of(length, static_cast<std::uint64_t>(round) * depth + i + 1));
      const std::uint64_t offset = (static_cast<std::uint64_t>(round) * 7 + i) * length;
      if (write)
        std::copy(data[i].begin(), data[i].end(), model_.begin() + static_cast<long>(offset));
      requests[i] = request(write, offset, data[i]);
      ASSERT_TRUE(device_->plan(&requests[i]));
      // In two steps, as after a short transfer.
      if (i == 3) {
        ASSERT_TRUE(transfer(requests[i]).ok());
      }
      ASSERT_TRUE((*ring)->start(requests[i], i == 3 ? 512 : 0, i));
    }
    for (std::size_t done = 0; done < depth;) {
      (*ring)->submit(true);
      for (IoRing::Completion completion; (*ring)->next(&completion); ++done) {
        const std::size_t i = completion.tag;
        ASSERT_EQ(completion.result, static_cast<int>(length - (i == 3 ? 512 : 0)));
        ASSERT_TRUE(device_->finish(&requests[i], length).ok());
        if (requests[i].write) continue;
        const std::uint64_t offset = requests[i].offset - data_offset;
        ASSERT_TRUE(
            std::equal(data[i].begin(), data[i].end(), model_.begin() + static_cast<long>(offset)));
      }
    }
  }
  expect_model();
}

TEST_F(PlannedIoTest, WhatCannotBeOneTransferIsLeftAlone) {
  Bytes data = random_bytes_of(8192, 3);
  const Bytes before = data;
  const std::uint64_t size = device_->size();
  for (const auto& [offset, length] : {std::pair<std::uint64_t, std::size_t>{1, 512},
                                       {512, 100},
                                       {0, 0},
                                       {size, 512},
                                       {size - 512, 1024},
                                       {UINT64_MAX - 511, 512}}) {
    for (const bool write : {false, true}) {
      PlannedIo io = request(write, offset, MutableByteSpan(data).first(length));
      EXPECT_FALSE(device_->plan(&io)) << offset << " " << length;
    }
  }
  EXPECT_EQ(data, before);
  const DevicePtr guarded = std::make_unique<GuardDevice>(std::move(device_), 4096, 8192);
  PlannedIo inside = request(true, 4096 + 512, MutableByteSpan(data).first(512));
  EXPECT_FALSE(guarded->plan(&inside));
  PlannedIo read = request(false, 4096 + 512, MutableByteSpan(data).first(512));
  EXPECT_TRUE(guarded->plan(&read));
  EXPECT_TRUE(guarded->finish(&read, transfer(read)).ok());
  const DevicePtr memory = memory_device(65536);
  PlannedIo no_file = request(false, 0, MutableByteSpan(data).first(512));
  EXPECT_FALSE(memory->plan(&no_file));
}

TEST_F(PlannedIoTest, AFailureIsCountedAndLeavesNothingBehind) {
  Bytes data(4096);
  PlannedIo read = request(false, 8192, data);
  ASSERT_TRUE(device_->plan(&read));
  ASSERT_TRUE(transfer(read).ok());
  const Status failed = device_->finish(&read, failed_transfer(false, EIO, read.offset));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::io);
  EXPECT_EQ(failed.error().sys_errno, EIO);
  EXPECT_EQ(data, Bytes(4096));
  EXPECT_EQ(device_->counters(IoKind::read).errors, 1U);

  data = random_bytes_of(4096, 2);
  PlannedIo write = request(true, 8192, data);
  ASSERT_TRUE(device_->plan(&write));
  EXPECT_FALSE(device_->finish(&write, failed_transfer(true, ENOSPC, write.offset)).ok());
  EXPECT_EQ(device_->counters(IoKind::write).errors, 1U);
  expect_model();
  // Its range is free again, else this would wait for ever.
  const Bytes one{1};
  model_[8193] = 1;
  ASSERT_TRUE(device_->write(8193, one).ok());
  expect_model();
}

// A part of a unit is read, changed and written back: not while the unit's own write is under way.
TEST_F(PlannedIoTest, APartialWriteWaitsForAPlannedOne) {
  Bytes data = random_bytes_of(unit_bytes, 9);
  std::copy(data.begin(), data.end(), model_.begin());
  PlannedIo io = request(true, 0, data);
  ASSERT_TRUE(device_->plan(&io));
  std::atomic<bool> written{false};
  std::thread partial([&] {
    const Bytes one{1};
    EXPECT_TRUE(device_->write(3, one).ok());
    written = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(written);
  // Nor is a range given out for which somebody waits: who plans must not wait.
  Bytes more = random_bytes_of(unit_bytes, 10);
  PlannedIo second = request(true, 0, more);
  EXPECT_FALSE(device_->plan(&second));
  EXPECT_EQ(more, random_bytes_of(unit_bytes, 10));
  PlannedIo elsewhere = request(true, 4096, more);
  std::copy(more.begin(), more.end(), model_.begin() + 4096);
  EXPECT_TRUE(device_->plan(&elsewhere));
  EXPECT_TRUE(device_->finish(&elsewhere, transfer(elsewhere)).ok());
  ASSERT_TRUE(device_->finish(&io, transfer(io)).ok());
  partial.join();
  model_[3] = 1;
  expect_model();
}

TEST_F(PlannedIoTest, AShortTransferIsCountedAsAnError) {
  Bytes data = random_bytes_of(4096, 1);
  PlannedIo read = request(false, 8192, data);
  ASSERT_TRUE(device_->plan(&read));
  const Status cut = device_->finish(&read, transfer(read, 2048));
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().code, ErrorCode::io);
  EXPECT_EQ(data, Bytes(4096)) << "half of it is ciphertext, or was decrypted";
  EXPECT_EQ(device_->counters(IoKind::read).errors, 1U);

  data = random_bytes_of(4096, 2);
  PlannedIo write = request(true, 8192, data);
  ASSERT_TRUE(device_->plan(&write));
  ASSERT_FALSE(device_->finish(&write, transfer(write, 512)).ok());
  EXPECT_EQ(device_->counters(IoKind::write).errors, 1U);
}

// Outer before inner when writing, inner before outer when reading, whichever way a request takes.
TEST(PlannedLayers, TwoThatEncryptGiveTheSameBytesEitherWay) {
  constexpr std::size_t length = 8192;
  AnonymousFile by_calls(65536);
  AnonymousFile by_plan(65536);
  const DevicePtr calls = encrypted_twice(std::make_unique<BorrowedDevice>(by_calls));
  const DevicePtr plans =
      std::make_unique<PlannedAdapter>(encrypted_twice(std::make_unique<BorrowedDevice>(by_plan)));
  const Bytes data = random_bytes_of(length, 4);
  ASSERT_TRUE(calls->write(1024, data).ok());
  ASSERT_TRUE(plans->write(1024, data).ok());
  Bytes expected(65536);
  Bytes stored(65536);
  ASSERT_TRUE(by_calls.read(0, expected).ok());
  ASSERT_TRUE(by_plan.read(0, stored).ok());
  EXPECT_EQ(stored, expected);
  Bytes back(length);
  ASSERT_TRUE(plans->read(1024, back).ok());
  EXPECT_EQ(back, data);
}

TEST(PlannedLayers, AStackTooDeepIsLeftToCalls) {
  DevicePtr device = std::make_unique<AnonymousFile>(65536);
  for (std::size_t i = 0; i < PlannedIo::max_frames; ++i) device = aligned(std::move(device));
  Bytes data(512);
  PlannedIo io;
  io.write = true;
  io.memory = data;
  ASSERT_TRUE(device->plan(&io));
  ASSERT_TRUE(device->finish(&io, transfer(io)).ok());
  device = encrypted(aligned(std::move(device)), std::make_unique<ToyCipher>());
  data = Bytes(512, 9);
  EXPECT_FALSE(device->plan(&io));
  EXPECT_EQ(data, Bytes(512, 9)) << "encrypted, and then not planned";
  EXPECT_EQ(io.depth, 0U);
  // Nothing is left locked on the way: a part of a block would wait for ever.
  device = aligned(std::move(device));
  EXPECT_TRUE(device->write(3, Bytes(1)).ok());
}

// The kernel may end a transfer before it is whole: what it left is still to be done.
TEST(TransferProgress, GoesOnUntilAllIsThere) {
  Bytes memory(4096);
  PlannedIo io;
  io.offset = 100;
  io.memory = memory;
  TransferProgress progress;
  EXPECT_TRUE(progress.go_on(io, -EINTR));
  EXPECT_TRUE(progress.go_on(io, 1000));
  EXPECT_TRUE(progress.go_on(io, -EAGAIN));
  EXPECT_EQ(progress.done_bytes(), 1000U);
  EXPECT_TRUE(progress.go_on(io, 3095));
  EXPECT_FALSE(progress.go_on(io, 1));
  ASSERT_TRUE(progress.outcome(io).ok());
  EXPECT_EQ(*progress.outcome(io), 4096U);

  TransferProgress ended;
  EXPECT_TRUE(ended.go_on(io, 512));
  EXPECT_FALSE(ended.go_on(io, 0));
  EXPECT_EQ(*ended.outcome(io), 512U);

  TransferProgress failed;
  EXPECT_TRUE(failed.go_on(io, 512));
  EXPECT_FALSE(failed.go_on(io, -EIO));
  ASSERT_FALSE(failed.outcome(io).ok());
  EXPECT_EQ(failed.outcome(io).error().sys_errno, EIO);
  EXPECT_EQ(failed.outcome(io).error().detail, 612U);
}

}  // namespace
}  // namespace volt
