#include "blockdev/device/helper_pool.h"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "blockdev/layers/crypto_pool.h"
#include "tests/support/device_candidates.h"

namespace volt {
namespace {

TEST(HelperPool, EveryPartIsDoneOnce) {
  for (const unsigned helpers : {0U, 1U, 5U}) {
    auto pool = HelperPool::create(helpers, 0);
    ASSERT_TRUE(pool.ok());
    for (const std::size_t parts : {0U, 1U, 2U, 3U, 100U}) {
      for (int round = 0; round < 100; ++round) {
        std::vector<std::atomic<int>> done(parts);
        const auto work = [&](std::size_t part) { ++done[part]; };
        (*pool)->run(parts, work);
        for (const auto& count : done) ASSERT_EQ(count, 1);
      }
    }
  }
}

TEST(HelperPool, HelpersDoHelp) {
  auto pool = HelperPool::create(1, 0);
  ASSERT_TRUE(pool.ok());
  // Two parts that wait for one another can only end if two threads work.
  std::atomic<int> inside{0};
  const auto work = [&](std::size_t) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
  };
  (*pool)->run(2, work);
  EXPECT_EQ(inside, 2);
}

TEST(HelperPool, NobodyIsCalledWhileAllCoresWork) {
  auto pool = HelperPool::create(4, 1);
  ASSERT_TRUE(pool.ok());
  const auto me = std::this_thread::get_id();
  std::atomic<int> strangers{0};
  const auto work = [&](std::size_t) {
    if (std::this_thread::get_id() != me) ++strangers;
  };
  for (int i = 0; i < 200; ++i) (*pool)->run(8, work);
  EXPECT_EQ(strangers, 0);
}

TEST(HelperPool, ManyCallersAtOnce) {
  auto pool = HelperPool::create(3, 0);
  ASSERT_TRUE(pool.ok());
  std::atomic<std::uint64_t> sum{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const auto work = [&](std::size_t part) { sum += part; };
        (*pool)->run(5, work);
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(sum, 4U * 2000U * 10U);
}

TEST(HelperPool, TooManyAreRefused) {
  EXPECT_FALSE(HelperPool::create(HelperPool::max_helpers + 1, 0).ok());
}

TEST(CryptoPool, GivesWhatTheCipherGives) {
  const ToyCipher cipher;
  auto pool = CryptoPool::create(cipher, 2, 1);
  ASSERT_TRUE(pool.ok());
  ASSERT_NE(*pool, nullptr);
  for (const std::size_t units : {1U, 64U, 65U, 1000U, 2048U, 2049U}) {
    const Bytes data = random_bytes_of(units * unit_bytes, units);
    Bytes expected(data.size());
    Bytes shared(data.size());
    cipher.encrypt_units(77, data.data(), expected.data(), units);
    (*pool)->encrypt(cipher, 77, data.data(), shared.data(), units);
    ASSERT_EQ(shared, expected) << units;
    (*pool)->decrypt(cipher, 77, shared.data(), shared.data(), units);
    ASSERT_EQ(shared, data) << units;
  }
}

// As good as free: nothing is worth sharing.
class NoCipher final : public UnitCipher {
 public:
  void encrypt_units(std::uint64_t, const std::uint8_t*, std::uint8_t*,
                     std::size_t) const noexcept override {}
  void decrypt_units(std::uint64_t, const std::uint8_t*, std::uint8_t*,
                     std::size_t) const noexcept override {}
  std::string kernel_names() const override { return "none"; }
};

TEST(CryptoPool, FastCiphersGetNoThreads) {
  const auto pool = CryptoPool::create(NoCipher(), 2);
  ASSERT_TRUE(pool.ok());
  EXPECT_EQ(*pool, nullptr);
  const auto no_helpers = CryptoPool::create(ToyCipher(), 0);
  ASSERT_TRUE(no_helpers.ok());
  EXPECT_EQ(*no_helpers, nullptr);
}

}  // namespace
}  // namespace volt
