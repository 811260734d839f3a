#include "blockdev/device/buffer_pool.h"

#include <atomic>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace volt {
namespace {

TEST(BufferPool, BuffersAreApartAlignedAndZeroAtFirst) {
  auto made = BufferPool::create(5000, 64);
  ASSERT_TRUE(made.ok());
  BufferPool pool = *std::move(made);
  std::vector<BufferPool::Lease> leases;
  std::set<std::uint8_t*> places;
  for (int i = 0; i < 64; ++i) {
    leases.push_back(pool.acquire());
    EXPECT_EQ(leases.back().size(), 8192U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(leases.back().data()) % 4096, 0U);
    EXPECT_EQ(leases.back().span()[8191], 0);
    places.insert(leases.back().data());
  }
  EXPECT_EQ(places.size(), 64U);
}

TEST(BufferPool, RefusesAbsurdSizes) {
  EXPECT_FALSE(BufferPool::create(0, 1).ok());
  EXPECT_FALSE(BufferPool::create(4096, 0).ok());
  EXPECT_FALSE(BufferPool::create(4096, 65).ok());
  EXPECT_FALSE(BufferPool::create(SIZE_MAX, 1).ok());
}

TEST(BufferPool, WhoComesTooLateWaitsAndNobodySharesABuffer) {
  auto made = BufferPool::create(4096, 2);
  ASSERT_TRUE(made.ok());
  BufferPool pool = *std::move(made);
  std::atomic<int> violations{0};
  std::vector<std::thread> threads;
  for (int t = 1; t <= 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const BufferPool::Lease lease = pool.acquire();
        lease.data()[0] = static_cast<std::uint8_t>(t);
        if (i % 64 == 0) std::this_thread::yield();
        if (lease.data()[0] != t) ++violations;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(violations, 0);
}

}  // namespace
}  // namespace volt
