// Overlapping and unaligned requests from many threads, checked against what any order of them
// could have left: each 512-byte data unit must be explained by one linear order of the writes to
// it that keeps their order in time.
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "tests/device_candidates.h"
#include "tests/linear_order.h"
#include "tests/test_devices.h"

namespace volt {
namespace {

constexpr std::uint64_t region_units = 24;
constexpr std::uint64_t region_bytes = region_units * unit_bytes;
constexpr std::size_t threads = 4;
constexpr std::size_t rounds = 150;

class Concurrency : public testing::TestWithParam<SuiteCase> {};

// Each word of a write holds the write's number, so that every word tells who wrote it.
void fill_words(Bytes* data, std::uint32_t id) {
  for (std::size_t i = 0; i < data->size(); i += word_bytes) store_le(data->data() + i, id);
}

// Lingers after every read, so that whoever reads, changes and writes back without a lock is
// caught.
class LingeringDevice final : public ForwardingDevice {
 public:
  explicit LingeringDevice(DevicePtr child) : ForwardingDevice(std::move(child)) {}

 private:
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override {
    const Status status = child().read(offset, buffer);
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    return status;
  }
  bool do_plan(PlannedIo* io) noexcept override { return plan_child(io); }
};

struct Trace {
  std::vector<TracedWrite> writes;
  std::vector<TracedRead> reads;
};

void play(BlockDevice& device, std::uint64_t seed, std::size_t thread,
          std::atomic<std::uint64_t>* ticks, Trace* trace, std::atomic<int>* failures) {
  std::uint64_t random = seed + thread;
  const std::uint64_t smallest =
      std::max<std::uint64_t>(word_bytes, device.geometry().alignment_bytes);
  for (std::size_t round = 0; round < rounds; ++round) {
    // Half in whole units, which take another way through the devices than those that end inside.
    const std::uint64_t grain =
        next_random(&random) % 2 == 0 ? smallest : std::max<std::uint64_t>(smallest, unit_bytes);
    const std::uint64_t longest = round % 16 == 0 ? region_bytes : 1500;
    const std::uint64_t offset = next_random(&random) % region_bytes / grain * grain;
    const std::uint64_t room = std::min(longest, region_bytes - offset);
    const std::uint64_t length = align_up(next_random(&random) % room + 1, grain);
    if (offset + length > region_bytes) continue;
    Bytes data(length);
    const std::uint64_t begin = ticks->fetch_add(1);
    if (round % 3 == 2) {
      if (!device.read(offset, data).ok()) ++*failures;
      trace->reads.push_back({begin, ticks->fetch_add(1), offset, data});
    } else {
      const auto id = static_cast<std::uint32_t>(1 + thread * rounds + round);
      fill_words(&data, id);
      const bool consuming = next_random(&random) % 2 == 0;
      const Status status =
          consuming ? device.write_consuming(offset, data) : device.write(offset, data);
      if (!status.ok()) ++*failures;
      trace->writes.push_back({id, begin, ticks->fetch_add(1), offset, length});
    }
  }
}

TEST_P(Concurrency, EveryUnitIsExplainedByALinearOrder) {
  const std::uint64_t seed = 20240;
  SCOPED_TRACE(seed);
  const DevicePtr device =
      GetParam().build(std::make_unique<LingeringDevice>(GetParam().make_base(1048576)));
  if (device == nullptr) GTEST_SKIP() << "not possible on this file system";
  Bytes zeros(region_bytes);
  ASSERT_TRUE(device->write(0, zeros).ok());

  std::atomic<std::uint64_t> ticks{1};
  std::atomic<int> failures{0};
  std::vector<Trace> traces(threads);
  std::vector<std::thread> players;
  for (std::size_t t = 0; t < threads; ++t) {
    players.emplace_back([&, t] { play(*device, seed, t, &ticks, &traces[t], &failures); });
  }
  for (auto& player : players) player.join();
  ASSERT_EQ(failures, 0);

  std::vector<TracedWrite> writes{{0, 0, 0, 0, region_bytes}};
  for (const Trace& trace : traces) {
    writes.insert(writes.end(), trace.writes.begin(), trace.writes.end());
  }
  TracedRead last{ticks.fetch_add(1), ticks.fetch_add(1), 0, Bytes(region_bytes)};
  ASSERT_TRUE(device->read(0, last.content).ok());
  EXPECT_EQ(explain(last, writes), "");
  // The kernel's own page cache may show a reader half of a write that is under way.
  if (!GetParam().candidate.decorator) return;
  for (const Trace& trace : traces) {
    for (const TracedRead& read : trace.reads) ASSERT_EQ(explain(read, writes), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Concurrency, testing::ValuesIn(suite_cases()),
                         [](const auto& param) { return param.param.name(); });

// The checker itself must be able to say no.
TEST(LinearOrder, FindsTornUnitsAndLostWrites) {
  const std::vector<TracedWrite> writes{{0, 0, 0, 0, 512}, {1, 1, 4, 0, 512}, {2, 2, 3, 0, 512}};
  Bytes content(512);
  const TracedRead whole{5, 6, 0, content};
  EXPECT_NE(explain(whole, writes), "") << "both writes lost";
  fill_words(&content, 1);
  EXPECT_EQ(explain({5, 6, 0, content}, writes), "");
  store_le(content.data() + 256, std::uint32_t{2});
  EXPECT_NE(explain({5, 6, 0, content}, writes), "") << "torn";
  store_le(content.data() + 256, std::uint32_t{77});
  EXPECT_NE(explain({5, 6, 0, content}, writes), "") << "written by nobody";

  const std::vector<TracedWrite> in_order{{0, 0, 0, 0, 512}, {1, 1, 2, 0, 512}, {2, 3, 4, 0, 512}};
  fill_words(&content, 1);
  EXPECT_NE(explain({5, 6, 0, content}, in_order), "") << "the older write won";
  fill_words(&content, 2);
  EXPECT_EQ(explain({5, 6, 0, content}, in_order), "");
  EXPECT_NE(explain({1, 2, 0, content}, in_order), "") << "read before it was written";
}

}  // namespace
}  // namespace volt
