#include "blockdev/device/range_lock.h"

#include <array>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "blockdev/simulate/seeded_random.h"

namespace volt {
namespace {

TEST(RangeLock, WhatDoesNotConflictDoesNotWait) {
  // All in one thread: anything that waited would hang.
  RangeLock lock;
  const RangeLock::Shared a(lock, 0, 10);
  const RangeLock::Shared b(lock, 5, 15);
  const RangeLock::Exclusive c(lock, 15, 20);
  const RangeLock::Exclusive d(lock, 20, 21);
  const RangeLock::Shared e(lock, 21, 30);
}

// Every block counts who is in it.
struct Block {
  std::atomic<int> sharers{0};
  std::atomic<int> owners{0};
};

TEST(RangeLock, ExclusiveMeansExclusive) {
  constexpr std::size_t blocks = 8;
  RangeLock lock;
  std::array<Block, blocks> state;
  std::atomic<int> violations{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      std::uint64_t random = t;
      for (int i = 0; i < 3000; ++i) {
        const std::uint64_t begin = next_random(&random) % blocks;
        const std::uint64_t end = begin + 1 + next_random(&random) % (blocks - begin);
        if (next_random(&random) % 3 == 0) {
          const RangeLock::Exclusive held(lock, begin, end);
          for (std::uint64_t b = begin; b < end; ++b) {
            if (state[b].owners.fetch_add(1) != 0 || state[b].sharers != 0) ++violations;
          }
          for (std::uint64_t b = begin; b < end; ++b) --state[b].owners;
        } else {
          const RangeLock::Shared held(lock, begin, end);
          for (std::uint64_t b = begin; b < end; ++b) {
            ++state[b].sharers;
            if (state[b].owners != 0) ++violations;
          }
          for (std::uint64_t b = begin; b < end; ++b) --state[b].sharers;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(violations, 0);
}

TEST(RangeLock, MoreSharersThanSlotsWait) {
  RangeLock lock;
  std::vector<std::unique_ptr<RangeLock::Shared>> held;
  for (std::size_t i = 0; i < RangeLock::slot_count; ++i) {
    held.push_back(std::make_unique<RangeLock::Shared>(lock, i, i + 1));
  }
  std::atomic<bool> inside{false};
  std::thread one_more([&] {
    const RangeLock::Shared late(lock, 0, 1);
    inside = true;
  });
  EXPECT_FALSE(inside);
  held.pop_back();
  one_more.join();
  EXPECT_TRUE(inside);
}

// A stream of sharers must not keep an exclusive one out for ever.
TEST(RangeLock, SharersDoNotStarveTheExclusive) {
  RangeLock lock;
  std::atomic<bool> stop{false};
  std::vector<std::thread> sharers;
  for (int t = 0; t < 3; ++t) {
    sharers.emplace_back([&] {
      while (!stop) const RangeLock::Shared held(lock, 0, 4);
    });
  }
  for (int i = 0; i < 200; ++i) const RangeLock::Exclusive held(lock, 1, 2);
  stop = true;
  for (auto& thread : sharers) thread.join();
}

}  // namespace
}  // namespace volt
