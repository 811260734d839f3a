// The model of the disks against the published comparison (RAID 0 of two WD40EZRZ), in simulated
// time: ../shared/reference/raid0-bitlocker-veracrypt.tsv.
#include "blockdev/simulate/disk_array.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "blockdev/simulate/seeded_random.h"
#include "tests/support/device_candidates.h"

namespace volt {
namespace {

constexpr std::uint64_t mib = 1048576;
constexpr std::uint64_t second_ns = 1000000000;

struct Workload {
  bool write = false;
  bool random = false;
  unsigned depth = 1;
  std::uint64_t bytes = mib;
  double start = 0;  // fraction of the array
};

// Keeps `depth` requests under way; MB/s after a warm-up.
double rate_of(const Workload& load) {
  const DiskProfile& profile = *find_disk_profile("hdd-5400");
  DiskArray array(profile, 2, 131072);
  const double start = load.start * static_cast<double>(array.capacity_bytes());
  const std::uint64_t base = static_cast<std::uint64_t>(start) / mib * mib;
  // Random requests within 256 MiB, as disk_profile.cc assumes of the article.
  const std::uint64_t span = load.random ? 256 * mib : 4096 * mib;
  constexpr std::uint64_t warm_ns = 4 * second_ns;
  constexpr std::uint64_t end_ns = 16 * second_ns;
  std::uint64_t random = 1;
  std::uint64_t now_ns = 0;
  std::uint64_t position = 0;
  std::uint64_t moved = 0;
  std::uint64_t id = 0;
  const auto submit = [&] {
    const std::uint64_t offset =
        load.random ? next_random(&random) % (span / load.bytes) * load.bytes : position;
    position = (position + load.bytes) % span;
    array.submit(++id, load.write, base + offset, load.bytes, now_ns);
  };
  for (unsigned i = 0; i < load.depth; ++i) submit();
  std::vector<std::uint64_t> answered;
  while (now_ns < end_ns) {
    now_ns = array.next_event_ns();
    answered.clear();
    array.advance(now_ns, &answered);
    if (now_ns > warm_ns) moved += answered.size() * load.bytes;
    for (std::size_t i = 0; i < answered.size(); ++i) submit();
  }
  return static_cast<double>(moved) / static_cast<double>(end_ns - warm_ns) * 1e3;
}

constexpr Workload sequential_read{.depth = 8};
constexpr Workload sequential_write{.write = true, .depth = 8};
constexpr Workload random_read{.random = true, .depth = 32, .bytes = 4096};
constexpr Workload random_write{.write = true, .random = true, .depth = 32, .bytes = 4096};

Workload at(Workload load, double start) {
  load.start = start;
  return load;
}

TEST(DiskModel, GivesThePublishedFiguresOfThePlainArray) {
  EXPECT_NEAR(rate_of(sequential_read), 369, 369 * 0.02);
  EXPECT_NEAR(rate_of(sequential_write), 348, 348 * 0.02);
  EXPECT_NEAR(rate_of(random_read), 3.15, 3.15 * 0.05);
  EXPECT_NEAR(rate_of(random_write), 4.57, 4.57 * 0.05);
}

TEST(DiskModel, SlowsDownTowardsTheInside) {
  EXPECT_NEAR(rate_of(at(sequential_read, 0.54)), 286, 286 * 0.02);
  EXPECT_LT(rate_of(at(random_write, 0.54)), rate_of(random_write));
  EXPECT_NEAR(rate_of(at(sequential_read, 0.98)) / rate_of(sequential_read), 0.5, 0.03);
}

// What a layer does that hands requests on one at a time: reads fall to a third, writes do not,
// because the write cache answers them; sequential figures look fine.
TEST(DiskModel, OneAtATimeRandomReadsFallToAThird) {
  Workload one_by_one = random_read;
  one_by_one.depth = 1;
  EXPECT_NEAR(rate_of(one_by_one), 1.24, 1.24 * 0.08);
  EXPECT_NEAR(rate_of(one_by_one) / rate_of(random_read), 1.24 / 3.15, 0.04);
  Workload writes = random_write;
  writes.depth = 1;
  EXPECT_GT(rate_of(writes), 0.95 * rate_of(random_write));
  Workload sequential = sequential_read;
  sequential.depth = 1;
  EXPECT_GT(rate_of(sequential), 0.9 * rate_of(sequential_read));
}

TEST(DiskModel, IsRepeatable) {
  EXPECT_EQ(rate_of(random_read), rate_of(random_read));
}

TEST(DiskArray, AnswersEveryRequestOnceAndFlushesLast) {
  DiskArray array(*find_disk_profile("hdd-5400"), 2, 65536);
  for (std::uint64_t id = 1; id <= 100; ++id) {
    array.submit(id, id % 2 == 0, id * 1000000, 300000, id);
  }
  array.submit_flush(1000);
  std::vector<std::uint64_t> answered;
  while (array.next_event_ns() != DiskModel::never) array.advance(array.next_event_ns(), &answered);
  ASSERT_EQ(answered.size(), 101U);
  EXPECT_EQ(answered.back(), 1000U);
  std::sort(answered.begin(), answered.end());
  EXPECT_EQ(std::unique(answered.begin(), answered.end()), answered.end());
}

TEST(DiskArray, AFlushOfCleanDisksIsAnsweredAtOnce) {
  DiskArray array(*find_disk_profile("hdd-5400"), 2, 65536);
  array.submit_flush(5);
  std::vector<std::uint64_t> answered;
  array.advance(0, &answered);
  EXPECT_EQ(answered, std::vector<std::uint64_t>{5});
}

TEST(ModelDevice, ManyThreadsAllGetTheirAnswers) {
  const DevicePtr device = modelled(memory_device(8 * mib));
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (std::uint64_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::uint64_t random = t;
      Bytes data(4096);
      for (int i = 0; i < 300; ++i) {
        const std::uint64_t offset = next_random(&random) % 2000 * 4096;
        const Status status = i % 50 == 49 ? device->flush()
                              : i % 2 == 0 ? device->read(offset, data)
                                           : device->write(offset, data);
        if (!status.ok()) ++failures;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST(ModelDevice, LargerThanItsDisksIsRefused) {
  const auto device = ModelDevice::create(
      memory_device(mib), {.profile = find_disk_profile("hdd-5400"), .start_percent = 99.99999});
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().code, ErrorCode::no_space);
}

}  // namespace
}  // namespace volt
