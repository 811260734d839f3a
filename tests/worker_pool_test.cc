// The threads that serve a volume, under both engines, through a front door that is no FUSE.
#include "daemon/worker_pool.h"

#include <poll.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "blockdev/device_stack.h"
#include "tests/counting_door/counting_door.h"
#include "tests/temp_folder.h"

namespace volt {
namespace {

constexpr std::uint64_t volume_bytes = 1 << 20;

// The registry of a build that has this door too.
constexpr FrontDoorRow counting_row = {"counting", CountingDoor::open};

class WorkerPoolTest : public ::testing::TestWithParam<IoEngine> {
 protected:
  void SetUp() override {
    const std::string file = folder_.path() / "image";
    std::ofstream(file) << std::string(volume_bytes, 'x');
    auto container = open_container(file, {});
    ASSERT_TRUE(container);
    auto device = compose_plain(std::move(container->device), {}, &volume_.stats);
    ASSERT_TRUE(device);
    volume_.device = std::move(*device);
    auto pool = WorkerPool::create({8, GetParam(), false, true});
    if (!pool && GetParam() == IoEngine::io_uring) GTEST_SKIP() << "no io_uring here";
    ASSERT_TRUE(pool);
    pool_ = std::make_unique<WorkerPool>(std::move(*pool));
    std::string why;
    auto door = counting_row.open({&volume_, &pool_->first_buffer(), false}, &why);
    ASSERT_TRUE(door) << why;
    door_.reset(static_cast<CountingDoor*>(door->release()));
    ASSERT_TRUE(pool_->start(&volume_, door_.get()));
  }
  void TearDown() override {
    if (door_ != nullptr) {
      EXPECT_TRUE(door_->close());
    }
    pool_.reset();
  }

  TempFolder folder_;
  ServedVolume volume_;
  std::unique_ptr<CountingDoor> door_;
  std::unique_ptr<WorkerPool> pool_;
};

TEST_P(WorkerPoolTest, EveryRequestIsAnsweredOnceWithItsOwnData) {
  // Slots of a request each, so that requests in flight do not overlap.
  constexpr std::uint32_t slot_bytes = 8192;
  constexpr std::uint64_t slots = volume_bytes / slot_bytes;
  constexpr int rounds = 4;
  std::vector<std::uint8_t> model(volume_bytes, 'x');
  std::mt19937_64 random(7);
  std::vector<std::uint8_t> payload;
  for (int round = 0; round < rounds; ++round) {
    std::map<std::uint64_t, std::uint32_t> lengths;
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      // Whole units, parts of them, and requests that the door serves itself.
      const std::uint32_t bytes = slot % 3 == 0 ? 4096 : 1 + random() % slot_bytes;
      lengths[slot] = bytes;
      if (slot % 8 == 7) {
        door_->ask(CountingDoor::other_kind, slot, 0, 0);
      } else if (round % 2 == 0) {
        std::vector<std::uint8_t> data(bytes);
        for (auto& byte : data) byte = static_cast<std::uint8_t>(random());
        std::copy(data.begin(), data.end(),
                  model.begin() + static_cast<std::ptrdiff_t>(slot * slot_bytes));
        door_->ask(CountingDoor::write_kind, slot, slot * slot_bytes, bytes, data);
      } else {
        door_->ask(CountingDoor::read_kind, slot, slot * slot_bytes, bytes);
      }
      if (slot % 16 != 15) continue;
      for (int i = 0; i < 16; ++i) {
        const CountingDoor::Wire wire = door_->next_answer(&payload);
        ASSERT_EQ(lengths.count(wire.unique), 1U) << "answered twice";
        const std::uint32_t asked = lengths[wire.unique];
        lengths.erase(wire.unique);
        if (wire.unique % 8 == 7) {
          EXPECT_EQ(wire.kind, 7);
          continue;
        }
        ASSERT_EQ(wire.kind, static_cast<std::int32_t>(asked));
        if (round % 2 == 0) continue;
        const auto at = model.begin() + static_cast<std::ptrdiff_t>(wire.unique * slot_bytes);
        ASSERT_TRUE(std::equal(payload.begin(), payload.end(), at)) << "slot " << wire.unique;
      }
    }
    EXPECT_TRUE(lengths.empty());
  }
  EXPECT_EQ(door_->answered(), slots * rounds);
}

TEST_P(WorkerPoolTest, TheEndOfTheVolumeIsABlockDevices) {
  std::vector<std::uint8_t> payload;
  door_->ask(CountingDoor::read_kind, 1, volume_bytes - 512, 4096);
  EXPECT_EQ(door_->next_answer(&payload).kind, 512);
  door_->ask(CountingDoor::read_kind, 2, volume_bytes, 4096);
  EXPECT_EQ(door_->next_answer(&payload).kind, 0);
  door_->ask(CountingDoor::write_kind, 3, volume_bytes, 512, std::vector<std::uint8_t>(512));
  EXPECT_EQ(door_->next_answer(&payload).kind, -ENOSPC);
}

TEST_P(WorkerPoolTest, HeldWritesAreRefusedAndReadsServed) {
  std::vector<std::uint8_t> payload;
  volume_.writes_held = true;
  door_->ask(CountingDoor::write_kind, 1, 0, 512, std::vector<std::uint8_t>(512));
  EXPECT_EQ(door_->next_answer(&payload).kind, -EROFS);
  door_->ask(CountingDoor::read_kind, 2, 0, 512);
  EXPECT_EQ(door_->next_answer(&payload).kind, 512);
}

TEST_P(WorkerPoolTest, AClosedDoorEndsAllThreads) {
  ASSERT_TRUE(door_->close());
  struct pollfd ended = {pool_->ended_fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&ended, 1, 60000), 1);
}

INSTANTIATE_TEST_SUITE_P(Engines, WorkerPoolTest,
                         ::testing::Values(IoEngine::threads, IoEngine::io_uring),
                         [](const auto& engine) {
                           return engine.param == IoEngine::threads ? "threads" : "io_uring";
                         });

}  // namespace
}  // namespace volt
