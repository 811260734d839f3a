// One suite for every device and every stack: what block_device.h promises.
#include <atomic>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "tests/device_candidates.h"
#include "tests/test_devices.h"

namespace volt {
namespace {

constexpr std::uint64_t base_bytes = 1048576 + 393216;
constexpr std::uint64_t whole_bytes = 65536;  // whole blocks for every device

class DeviceConformance : public testing::TestWithParam<SuiteCase> {
 protected:
  void SetUp() override {
    device_ = GetParam().build(GetParam().make_base(base_bytes), &adapter_);
    if (device_ == nullptr) GTEST_SKIP() << "not possible on this file system";
    alignment_ = device_->geometry().alignment_bytes;
  }

  // Kept for the whole test, so that nothing is hidden by fresh zeros.
  MutableByteSpan buffer(std::size_t size) {
    memory_.resize(std::max(size, memory_.size()));
    return MutableByteSpan(memory_).first(size);
  }
  std::uint64_t aligned_random(std::uint64_t* random, std::uint64_t below) const {
    return align_down(next_random(random) % below, alignment_);
  }
  void write_random(std::uint64_t offset, std::uint64_t length, std::uint64_t seed, Bytes* model) {
    const Bytes data = random_bytes_of(length, seed);
    Bytes source = data;
    if (seed % 2 == 0) {
      ASSERT_TRUE(device_->write_consuming(offset, source).ok());
    } else {
      ASSERT_TRUE(device_->write(offset, source).ok());
      ASSERT_EQ(source, data) << "the caller's buffer was changed";
    }
    std::copy(data.begin(), data.end(), model->begin() + static_cast<std::ptrdiff_t>(offset));
  }
  void expect_content(std::uint64_t offset, std::uint64_t length, const Bytes& model) {
    const MutableByteSpan memory = buffer(length);
    ASSERT_TRUE(device_->read(offset, memory).ok());
    ASSERT_TRUE(std::equal(memory.begin(), memory.end(),
                           model.begin() + static_cast<std::ptrdiff_t>(offset)))
        << "offset " << offset << " length " << length;
    if (adapter_ == nullptr) return;
    // What was planned must be there for those who call, too.
    ASSERT_TRUE(adapter_->by_calls().read(offset, memory).ok());
    ASSERT_TRUE(std::equal(memory.begin(), memory.end(),
                           model.begin() + static_cast<std::ptrdiff_t>(offset)))
        << "by calls: offset " << offset << " length " << length;
  }
  // Writes everything once: a fresh encrypted device reads as noise.
  Bytes filled_model() {
    Bytes model(device_->size());
    write_random(0, model.size(), 7, &model);
    return model;
  }

  DevicePtr device_;
  PlannedAdapter* adapter_ = nullptr;  // where requests are planned
  std::uint64_t alignment_ = 1;
  Bytes memory_;
};

TEST_P(DeviceConformance, GeometryIsSane) {
  const Geometry& geometry = device_->geometry();
  EXPECT_GT(geometry.size_bytes, 0U);
  EXPECT_TRUE(is_power_of_two(geometry.alignment_bytes));
  EXPECT_TRUE(is_power_of_two(geometry.memory_alignment));
  EXPECT_EQ(geometry.size_bytes % geometry.alignment_bytes, 0U);
  EXPECT_GE(geometry.preferred_io_bytes, 4096U);
  EXPECT_FALSE(geometry.read_only);
}

TEST_P(DeviceConformance, EmptyRequestsSucceedInsideOnly) {
  EXPECT_TRUE(device_->read(0, {}).ok());
  EXPECT_TRUE(device_->write(0, {}).ok());
  EXPECT_TRUE(device_->read(device_->size(), {}).ok());
  EXPECT_TRUE(device_->write(device_->size(), {}).ok());
  const Status past = device_->read(device_->size() + alignment_, {});
  ASSERT_FALSE(past.ok());
  EXPECT_EQ(past.error().code, ErrorCode::out_of_range);
}

TEST_P(DeviceConformance, RequestsPastTheEndAreRefusedWhole) {
  const Bytes before = filled_model();
  const std::uint64_t far = align_down(UINT64_MAX, alignment_);
  const std::uint64_t last = device_->size() - alignment_;
  for (const std::uint64_t offset : {last, device_->size(), far - alignment_, far}) {
    const MutableByteSpan memory = buffer(2 * alignment_);
    const Status read = device_->read(offset, memory);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, ErrorCode::out_of_range) << offset;
    const Status write = device_->write(offset, memory);
    ASSERT_FALSE(write.ok());
    EXPECT_EQ(write.error().code, ErrorCode::out_of_range) << offset;
    const Status consuming = device_->write_consuming(offset, memory);
    ASSERT_FALSE(consuming.ok());
    EXPECT_EQ(consuming.error().code, ErrorCode::out_of_range) << offset;
  }
  expect_content(0, before.size(), before);
}

TEST_P(DeviceConformance, MisalignedRequestsAreRefused) {
  if (alignment_ == 1) GTEST_SKIP() << "takes any offset";
  const MutableByteSpan memory = buffer(2 * alignment_);
  for (const auto& [offset, length] :
       {std::pair{alignment_ / 2, alignment_}, std::pair{alignment_, alignment_ / 2},
        std::pair{std::uint64_t{1}, std::uint64_t{1}}}) {
    const Status read = device_->read(offset, memory.first(length));
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, ErrorCode::misaligned);
    const Status write = device_->write(offset, memory.first(length));
    ASSERT_FALSE(write.ok());
    EXPECT_EQ(write.error().code, ErrorCode::misaligned);
  }
}

TEST_P(DeviceConformance, ReadsGiveWhatWasWritten) {
  Bytes model = filled_model();
  std::uint64_t random = 11;
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t limit = round % 10 == 0 ? 500000 : round % 2 == 0 ? 9000 : 40000;
    const std::uint64_t offset = aligned_random(&random, model.size());
    const std::uint64_t room = std::min<std::uint64_t>(limit, model.size() - offset);
    const std::uint64_t length = aligned_random(&random, room + 1);
    ASSERT_NO_FATAL_FAILURE(write_random(offset, length, next_random(&random), &model));
    const std::uint64_t from = aligned_random(&random, offset + 1);
    const std::uint64_t span = std::min<std::uint64_t>(length + 65536, model.size() - from);
    ASSERT_NO_FATAL_FAILURE(expect_content(from, align_down(span, alignment_), model));
  }
  expect_content(0, model.size(), model);
}

TEST_P(DeviceConformance, EdgesOfUnitsBlocksAndPieces) {
  Bytes model = filled_model();
  std::uint64_t seed = 1;
  for (const std::uint64_t border : {512U, 4096U, 16384U, 65536U, 131072U, 1048576U}) {
    for (const std::uint64_t before : {1U, 511U, 512U, 513U, 4097U}) {
      for (const std::uint64_t after : {0U, 1U, 512U, 4095U}) {
        if (before > border) continue;
        const std::uint64_t offset = align_down(border - before, alignment_);
        const std::uint64_t end = align_up(border + after, alignment_);
        if (end > model.size()) continue;
        ASSERT_NO_FATAL_FAILURE(write_random(offset, end - offset, ++seed, &model));
      }
    }
  }
  ASSERT_NO_FATAL_FAILURE(write_random(0, alignment_, ++seed, &model));
  ASSERT_NO_FATAL_FAILURE(write_random(model.size() - alignment_, alignment_, ++seed, &model));
  expect_content(0, model.size(), model);
  expect_content(model.size() - alignment_, alignment_, model);
}

TEST_P(DeviceConformance, FlushKeepsContent) {
  const Bytes model = filled_model();
  ASSERT_TRUE(device_->flush().ok());
  expect_content(0, model.size(), model);
}

TEST_P(DeviceConformance, DiscardTouchesNothingElse) {
  Bytes model = filled_model();
  const std::uint64_t begin = align_up(100000, alignment_);
  const std::uint64_t end = align_up(300001, alignment_);
  const Status status = device_->discard(begin, end - begin);
  if (!device_->geometry().can_discard) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::not_supported);
    expect_content(0, model.size(), model);
    return;
  }
  ASSERT_TRUE(status.ok()) << status.error().context;
  expect_content(0, begin, model);
  expect_content(end, model.size() - end, model);
  ASSERT_NO_FATAL_FAILURE(write_random(begin, end - begin, 3, &model));
  expect_content(0, model.size(), model);
  const Status past = device_->discard(device_->size(), alignment_);
  ASSERT_FALSE(past.ok());
  EXPECT_EQ(past.error().code, ErrorCode::out_of_range);
}

// A suite that planned nothing would prove nothing, and a layer that says no when it need not sends
// a request the slow way.
TEST_P(DeviceConformance, PlansWhatItCan) {
  if (adapter_ != nullptr) {
    const Bytes model = filled_model();
    const std::uint64_t before = adapter_->planned();
    expect_content(0, whole_bytes, model);
    EXPECT_EQ(adapter_->planned(), before + 1);
    return;
  }
  if (GetParam().candidate.planned) return;  // has a case of its own
  const DevicePtr device = GetParam().build(std::make_unique<AnonymousFile>(base_bytes));
  for (const bool write : {false, true}) {
    Bytes data = random_bytes_of(whole_bytes, 1);
    PlannedIo io;
    io.write = write;
    io.memory = data;
    EXPECT_FALSE(device->plan(&io));
    EXPECT_EQ(data, random_bytes_of(whole_bytes, 1));
  }
}

// Whoever transfers may get less than it asked for: no layer takes that for the whole.
TEST_P(DeviceConformance, AShortTransferIsAnError) {
  if (adapter_ == nullptr) GTEST_SKIP() << "no transfers";
  Bytes model = filled_model();
  constexpr std::uint64_t length = whole_bytes;
  const MutableByteSpan memory = buffer(length);
  adapter_->cut_short(1);
  const Status read = device_->read(0, memory);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::io);
  expect_content(0, length, model);

  adapter_->cut_short(1);
  Bytes data = random_bytes_of(length, 21);
  const Status write = device_->write(0, data);
  ASSERT_FALSE(write.ok());
  EXPECT_EQ(write.error().code, ErrorCode::io);
  EXPECT_EQ(adapter_->cuts(), 1U);
  expect_content(length, model.size() - length, model);
  // Its range is free again, for writes of either way and for parts of blocks.
  ASSERT_NO_FATAL_FAILURE(write_random(0, length, 22, &model));
  ASSERT_NO_FATAL_FAILURE(write_random(0, alignment_, 23, &model));
  ASSERT_TRUE(adapter_->by_calls().write(0, ByteSpan(model).first(alignment_)).ok());
  expect_content(0, model.size(), model);
}

// Neighbours that share blocks write at the same time; nobody may lose a byte.
TEST_P(DeviceConformance, ConcurrentNeighboursLoseNothing) {
  Bytes model = filled_model();
  constexpr std::size_t threads = 4;
  constexpr int rounds = 40;
  const std::uint64_t grain = align_up(100, alignment_);
  std::atomic<int> failures{0};
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        const std::uint64_t slot = static_cast<std::uint64_t>(i) * threads + t;
        if (!device_->write(slot * grain, random_bytes_of(grain, slot)).ok()) ++failures;
      }
      if (!device_->flush().ok()) ++failures;
    });
  }
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(failures, 0);
  for (std::uint64_t slot = 0; slot < rounds * threads; ++slot) {
    const Bytes data = random_bytes_of(grain, slot);
    std::copy(data.begin(), data.end(), model.begin() + static_cast<std::ptrdiff_t>(slot * grain));
  }
  expect_content(0, model.size(), model);
}

INSTANTIATE_TEST_SUITE_P(Every, DeviceConformance, testing::ValuesIn(suite_cases()),
                         [](const auto& param) { return param.param.name(); });

}  // namespace
}  // namespace volt
