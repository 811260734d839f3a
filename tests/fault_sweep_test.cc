// Under every decorator the n-th call fails, for n = 1, 2, 3 ... (past 32 not every one) until
// nothing is struck any more:
// each time the error must come out, and nothing may change that was not being written.
#include <gtest/gtest.h>

#include "tests/device_candidates.h"
#include "tests/test_devices.h"

namespace volt {
namespace {

constexpr std::uint64_t base_bytes = 640 * 1024;
constexpr int max_calls = 2000;

struct Write {
  std::uint64_t offset;
  std::uint64_t length;
};

class FaultSweep : public testing::TestWithParam<SuiteCase> {
 protected:
  void build() {
    auto fault = std::make_unique<FaultDevice>(GetParam().make_base(base_bytes), FaultPlan{});
    fault_ = fault.get();
    device_ = GetParam().build(std::move(fault), &adapter_);
    alignment_ = device_->geometry().alignment_bytes;
    model_ = random_bytes_of(device_->size(), 3);
    ASSERT_TRUE(device_->write(0, model_).ok());
    ASSERT_TRUE(device_->flush().ok());
  }

  std::vector<Write> script() const {
    std::vector<Write> writes;
    for (const auto& [offset, length] : {std::pair{0U, 512U},
                                         {1000U, 24U},
                                         {5000U, 9000U},
                                         {65536U, 65536U},  // whole blocks for every device
                                         {70001U, 20000U},
                                         {100000U, 200000U}}) {
      const std::uint64_t begin = align_down(offset, alignment_);
      writes.push_back({begin, align_up(offset + length, alignment_) - begin});
    }
    return writes;
  }

  // Runs the script; returns the number of calls that reported an error.
  int run() {
    int errors = 0;
    std::uint64_t seed = 100;
    for (const Write& write : script()) {
      const Bytes data = random_bytes_of(write.length, ++seed);
      const auto at = model_.begin() + static_cast<std::ptrdiff_t>(write.offset);
      if (const Status status = device_->write(write.offset, data); !status.ok()) {
        EXPECT_EQ(status.error().code, ErrorCode::io);
        ++errors;
        unknown_.push_back(write);
      }
      std::copy(data.begin(), data.end(), at);
      Bytes back(write.length);
      if (const Status status = device_->read(write.offset, back); !status.ok()) {
        EXPECT_EQ(status.error().code, ErrorCode::io);
        ++errors;
      }
    }
    if (!device_->flush().ok()) ++errors;
    return errors;
  }

  // Ranges of failed writes are left out; everything else must be as the model says.
  void expect_model() {
    Bytes back(model_.size());
    ASSERT_TRUE(device_->read(0, back).ok());
    for (const Write& write : unknown_) {
      const std::uint64_t begin = write.offset;
      std::copy_n(model_.begin() + static_cast<std::ptrdiff_t>(begin), write.length,
                  back.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    ASSERT_EQ(back, model_);
  }

  FaultDevice* fault_ = nullptr;
  DevicePtr device_;
  PlannedAdapter* adapter_ = nullptr;  // where requests are planned
  std::uint64_t alignment_ = 1;
  Bytes model_;
  std::vector<Write> unknown_;
};

TEST_P(FaultSweep, EveryCallMayFailOnce) {
  if (!GetParam().candidate.decorator) GTEST_SKIP() << "has nothing below";
  ASSERT_NO_FATAL_FAILURE(build());
  for (int n = 1; n < max_calls; n += 1 + n / 32) {
    unknown_.clear();
    FaultRule rule;
    rule.nth = static_cast<std::uint64_t>(n);
    fault_->arm({.rules = {rule}});
    const int errors = run();
    const bool struck = fault_->strikes() > 0;
    fault_->arm({});
    EXPECT_EQ(errors, struck ? 1 : 0) << "call " << n;
    ASSERT_NO_FATAL_FAILURE(expect_model()) << "call " << n;
    if (!struck) return;
  }
  FAIL() << "the script never ended";
}

TEST_P(FaultSweep, TornWritesKeepNeighbours) {
  if (!GetParam().candidate.decorator) GTEST_SKIP() << "has nothing below";
  ASSERT_NO_FATAL_FAILURE(build());
  for (int n = 1; n < max_calls; n += 1 + n / 32) {
    unknown_.clear();
    FaultRule rule{.fault = FaultKind::torn_write, .kind = IoKind::write};
    rule.nth = static_cast<std::uint64_t>(n);
    fault_->arm({.seed = static_cast<std::uint64_t>(n), .rules = {rule}});
    const int errors = run();
    const bool struck = fault_->strikes() > 0;
    fault_->arm({});
    EXPECT_EQ(errors, struck ? 1 : 0) << "write " << n;
    ASSERT_NO_FATAL_FAILURE(expect_model()) << "write " << n;
    if (!struck) return;
  }
  FAIL() << "the script never ended";
}

// The n-th transfer ends half way, and whoever did it says so.
TEST_P(FaultSweep, ShortTransfersKeepNeighbours) {
  if (!GetParam().candidate.decorator) GTEST_SKIP() << "has nothing below";
  if (!GetParam().planned) GTEST_SKIP() << "no transfers";
  ASSERT_NO_FATAL_FAILURE(build());
  for (std::uint64_t n = 1; n < max_calls; ++n) {
    unknown_.clear();
    adapter_->cut_short(n);
    const int errors = run();
    const bool struck = adapter_->cuts() > 0;
    adapter_->cut_short(0);
    EXPECT_EQ(errors, struck ? 1 : 0) << "transfer " << n;
    ASSERT_NO_FATAL_FAILURE(expect_model()) << "transfer " << n;
    if (!struck) {
      EXPECT_GT(n, 1U) << "nothing was planned";
      return;
    }
  }
  FAIL() << "the script never ended";
}

// The container is cut short while it is open.
TEST_P(FaultSweep, ShorterThanItWas) {
  if (!GetParam().candidate.decorator) GTEST_SKIP() << "has nothing below";
  ASSERT_NO_FATAL_FAILURE(build());
  FaultRule rule{.fault = FaultKind::short_device};
  rule.parameter = 262144;
  fault_->arm({.rules = {rule}});
  Bytes start(alignment_);
  EXPECT_TRUE(device_->read(0, start).ok());
  Bytes all(device_->size());
  const Status status = device_->read(0, all);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::io);
}

INSTANTIATE_TEST_SUITE_P(Every, FaultSweep, testing::ValuesIn(suite_cases()),
                         [](const auto& param) { return param.param.name(); });

}  // namespace
}  // namespace volt
