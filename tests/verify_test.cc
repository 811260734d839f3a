#include "tools/verify_run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "blockdev/fault_device.h"
#include "blockdev/memory_device.h"

namespace volt {
namespace {

constexpr std::uint64_t test_seed = 77;
constexpr VerifyPlan plan{test_seed, 1000, 3};

std::vector<std::uint8_t> block_of(std::uint64_t block, std::uint32_t generation) {
  std::vector<std::uint8_t> bytes(verify_block_bytes);
  fill_verify_block(bytes, {test_seed, block, generation});
  return bytes;
}

BlockState state_of(const std::vector<std::uint8_t>& bytes) {
  return examine_verify_block(bytes, {test_seed, 5, 2}).state;
}

TEST(VerifyBlock, TellsEachStateApart) {
  EXPECT_EQ(state_of(block_of(5, 2)), BlockState::good);
  EXPECT_EQ(state_of(block_of(5, 1)), BlockState::stale);
  EXPECT_EQ(state_of(block_of(6, 2)), BlockState::misplaced);
  EXPECT_EQ(state_of(std::vector<std::uint8_t>(verify_block_bytes)), BlockState::lost);
  std::vector<std::uint8_t> other_run(verify_block_bytes);
  fill_verify_block(other_run, {test_seed + 1, 5, 2});
  EXPECT_EQ(state_of(other_run), BlockState::lost);
  const auto old = block_of(5, 1);
  auto torn = block_of(5, 2);
  std::copy(old.begin() + 1024, old.end(), torn.begin() + 1024);
  EXPECT_EQ(state_of(torn), BlockState::torn);
  auto half = block_of(5, 2);
  std::fill(half.begin() + 512, half.end(), std::uint8_t{0});
  EXPECT_EQ(state_of(half), BlockState::torn);
}

TEST(VerifyBlock, EveryFlippedBitIsFound) {
  const auto good = block_of(5, 2);
  for (std::size_t bit = 0; bit < verify_block_bytes * 8; bit += 7) {
    auto flipped = good;
    flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ (1U << (bit % 8)));
    ASSERT_EQ(state_of(flipped), BlockState::corrupt) << bit;
  }
}

// Writes and reads through a device with faults in either phase.
VerifyReport run_with(FaultPlan write_faults, FaultPlan read_faults, std::uint64_t* strikes) {
  auto memory = MemoryDevice::create(plan.blocks * verify_block_bytes);
  EXPECT_TRUE(memory.ok());
  FaultDevice device(*std::move(memory), std::move(write_faults));
  auto journal = VerifyJournal::in_memory(plan.seed, plan.blocks, plan.threads);
  EXPECT_TRUE(journal.ok());
  VerifyReport report;
  verify_write(device, plan, **journal, {}, report);
  *strikes = device.strikes();
  if (!report.error.ok()) return report;
  if (!read_faults.rules.empty()) device.arm(std::move(read_faults));
  verify_read(device, plan, **journal, {}, report);
  if (!read_faults.rules.empty()) *strikes += device.strikes();
  return report;
}

std::uint64_t found(const VerifyReport& report, BlockState state) {
  return report.states[static_cast<std::size_t>(state)];
}

FaultPlan fault(FaultKind kind, IoKind call, std::uint64_t nth, std::uint64_t seed) {
  FaultRule rule;
  rule.fault = kind;
  rule.kind = call;
  rule.nth = nth;
  return {seed, {rule}};
}

TEST(Verify, GoodTargetHasNoIssue) {
  std::uint64_t strikes = 0;
  const VerifyReport report = run_with({}, {}, &strikes);
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.checked_blocks, plan.blocks);
  EXPECT_GE(report.written_blocks, plan.blocks + plan.blocks / 3);
  EXPECT_TRUE(report.issues.empty());
}

TEST(Verify, FindsLostWrites) {
  for (std::uint64_t nth = 1; nth <= 1300; nth += 99) {
    std::uint64_t strikes = 0;
    const auto report = run_with(fault(FaultKind::lost_write, IoKind::write, nth, 1), {}, &strikes);
    ASSERT_EQ(strikes, 1U);
    // A lost first write is covered where the block is written again.
    if (nth > plan.blocks) {
      ASSERT_EQ(found(report, BlockState::stale), 1U) << nth;
      ASSERT_FALSE(report.issues[0].passed_on_second_read);
    } else {
      ASSERT_LE(found(report, BlockState::lost), 1U) << nth;
    }
  }
  std::uint64_t strikes = 0;
  FaultPlan all = fault(FaultKind::lost_write, IoKind::write, 1, 1);
  all.rules[0].count = plan.blocks;
  const auto report = run_with(all, {}, &strikes);
  EXPECT_NEAR(static_cast<double>(found(report, BlockState::lost)), plan.blocks * 2.0 / 3, 3);
}

TEST(Verify, FindsMisdirectedWrites) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::uint64_t strikes = 0;
    const auto report =
        run_with(fault(FaultKind::misdirected_write, IoKind::write, 1100, seed), {}, &strikes);
    ASSERT_EQ(strikes, 1U);
    ASSERT_FALSE(report.clean()) << "seed " << seed;
    ASSERT_EQ(found(report, BlockState::stale), 1U) << "seed " << seed;
  }
}

TEST(Verify, FindsFlippedBits) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::uint64_t strikes = 0;
    auto report =
        run_with(fault(FaultKind::bit_flip, IoKind::write, 1100 + seed, seed), {}, &strikes);
    ASSERT_EQ(found(report, BlockState::corrupt), 1U) << "seed " << seed;
    ASSERT_FALSE(report.issues[0].passed_on_second_read);
    report = run_with({}, fault(FaultKind::bit_flip, IoKind::read, 37 * seed, seed), &strikes);
    ASSERT_EQ(found(report, BlockState::corrupt), 1U) << "seed " << seed;
    ASSERT_TRUE(report.issues[0].passed_on_second_read);
  }
}

TEST(Verify, FindsTornWritesAndErrors) {
  for (const FaultKind kind : {FaultKind::torn_write, FaultKind::fail}) {
    std::uint64_t strikes = 0;
    const auto report = run_with(fault(kind, IoKind::write, 500, 3), {}, &strikes);
    EXPECT_FALSE(report.clean());
    EXPECT_FALSE(report.error.ok());
  }
  std::uint64_t strikes = 0;
  EXPECT_FALSE(run_with(fault(FaultKind::fail, IoKind::flush, 2, 3), {}, &strikes).error.ok());
  EXPECT_FALSE(run_with({}, fault(FaultKind::fail, IoKind::read, 2, 3), &strikes).error.ok());
}

TEST(Verify, FindsTornWritesThatWereAcknowledged) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::uint64_t strikes = 0;
    const auto report = run_with(
        fault(FaultKind::torn_write_unseen, IoKind::write, 1100 + seed, seed), {}, &strikes);
    ASSERT_EQ(strikes, 1U);
    ASSERT_TRUE(report.error.ok());
    ASSERT_EQ(found(report, BlockState::torn), 1U) << "seed " << seed;
    ASSERT_GT(report.issues[0].finding.first_bad_sector, 0U) << "seed " << seed;
    ASSERT_FALSE(report.issues[0].passed_on_second_read);
  }
}

// Remembers what stood in a block before, and hands it out once.
TEST(Verify, FindsStaleReads) {
  auto memory = MemoryDevice::create(plan.blocks * verify_block_bytes);
  ASSERT_TRUE(memory.ok());
  FaultPlan faults = fault(FaultKind::stale_read, IoKind::read, 1, 1);
  faults.rules[0].count = 1;
  std::uint64_t stale = 0;
  FaultDevice device(*std::move(memory), faults);
  auto journal = VerifyJournal::in_memory(plan.seed, plan.blocks, 1);
  ASSERT_TRUE(journal.ok());
  const VerifyPlan one{plan.seed, plan.blocks, 1};
  VerifyReport written;
  verify_write(device, one, **journal, {}, written);
  ASSERT_TRUE(written.error.ok());
  VerifyReport report;
  verify_read(device, one, **journal, {}, report);
  EXPECT_EQ(device.strikes(), 1U);
  stale = found(report, BlockState::stale) + found(report, BlockState::lost);
  ASSERT_EQ(stale, 1U);
  EXPECT_TRUE(report.issues[0].passed_on_second_read);
}

TEST(Verify, ResumesAfterAKill) {
  std::string folder = (std::filesystem::temp_directory_path() / "volt-verify-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/journal";
  auto memory = MemoryDevice::create(plan.blocks * verify_block_bytes);
  ASSERT_TRUE(memory.ok());
  // The device fails in the middle, as a kill would end the run.
  FaultDevice device(*std::move(memory), fault(FaultKind::fail, IoKind::write, 1100, 1));
  {
    auto journal = VerifyJournal::create(path, plan.seed, plan.blocks, plan.threads);
    ASSERT_TRUE(journal.ok());
    (*journal)->name_target("/there");
    VerifyReport report;
    verify_write(device, plan, **journal, {}, report);
    ASSERT_FALSE(report.error.ok());
  }
  EXPECT_FALSE(VerifyJournal::create(path, 1, 10, 1).ok());
  device.arm({});
  auto journal = VerifyJournal::open(path);
  ASSERT_TRUE(journal.ok());
  EXPECT_EQ((*journal)->target(), "/there");
  VerifyReport report;
  verify_read(device, plan, **journal, {}, report);
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.checked_blocks, plan.blocks);
  // What had been acknowledged is missed when it is gone.
  const std::vector<std::uint8_t> zeros(verify_block_bytes);
  ASSERT_TRUE(device.write(10 * verify_block_bytes, zeros).ok());
  VerifyReport second;
  verify_read(device, plan, **journal, {}, second);
  EXPECT_EQ(found(second, BlockState::lost), 1U);
  EXPECT_EQ(second.issues.at(0).block, 10U);
  std::filesystem::resize_file(path, 100);
  EXPECT_FALSE(VerifyJournal::open(path).ok());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace volt
