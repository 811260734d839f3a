#include "tools/voltest/verify/verify_run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "blockdev/backing/memory_device.h"
#include "blockdev/simulate/fault_device.h"
#include "tests/support/temp_folder.h"

namespace volt {
namespace {

constexpr std::uint64_t test_run = 77;
constexpr VerifyPlan plan{test_run, 1, 1000, 3};
constexpr VerifyPlan one_thread{test_run, 1, 1000, 1};

std::vector<std::uint8_t> block_of(std::uint64_t block, std::uint32_t generation) {
  std::vector<std::uint8_t> bytes(verify_block_bytes);
  fill_verify_block(bytes, {test_run, block, generation});
  return bytes;
}

BlockState state_of(const std::vector<std::uint8_t>& bytes) {
  return examine_verify_block(bytes, {test_run, 5, 2}).state;
}

TEST(VerifyBlock, TellsEachStateApart) {
  EXPECT_EQ(state_of(block_of(5, 2)), BlockState::good);
  EXPECT_EQ(state_of(block_of(5, 1)), BlockState::stale);
  EXPECT_EQ(state_of(block_of(6, 2)), BlockState::misplaced);
  EXPECT_EQ(state_of(std::vector<std::uint8_t>(verify_block_bytes)), BlockState::lost);
  std::vector<std::uint8_t> other_run(verify_block_bytes);
  fill_verify_block(other_run, {test_run + 1, 5, 2});
  EXPECT_EQ(state_of(other_run), BlockState::lost);
  EXPECT_EQ(examine_verify_block(other_run, {test_run, 5, 2}).found_run, test_run + 1);
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

TEST(VerifyBlock, EverySectorTellsItsRunOffsetAndGeneration) {
  for (std::size_t sector = 0; sector < verify_block_bytes / verify_sector_bytes; ++sector) {
    const auto at = static_cast<std::ptrdiff_t>(sector * verify_sector_bytes);
    // One sector of another run, of another generation, and of another place.
    for (const BlockLabel& other :
         {BlockLabel{test_run + 1, 5, 2}, BlockLabel{test_run, 5, 1}, BlockLabel{test_run, 6, 2}}) {
      std::vector<std::uint8_t> from(verify_block_bytes);
      fill_verify_block(from, other);
      auto mixed = block_of(5, 2);
      std::copy_n(from.begin() + at, verify_sector_bytes, mixed.begin() + at);
      EXPECT_EQ(state_of(mixed), other.block == 5 ? BlockState::torn : BlockState::misplaced);
      EXPECT_EQ(examine_verify_block(mixed, {test_run, 5, 2}).first_bad_sector, sector);
    }
  }
  // A sector of the same block, but not its own place in it.
  auto shifted = block_of(5, 2);
  std::copy_n(shifted.begin(), verify_sector_bytes, shifted.begin() + verify_sector_bytes);
  EXPECT_EQ(state_of(shifted), BlockState::misplaced);
}

TEST(VerifyBlock, RunsDiffer) {
  const auto first = new_verify_run();
  const auto second = new_verify_run();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(*first, *second);
  EXPECT_EQ(verify_run_name(0xABC), "0000000000000abc");
}

// Writes and reads through a device with faults in either phase.
VerifyReport run_with(FaultPlan write_faults, FaultPlan read_faults, std::uint64_t* strikes,
                      const VerifyPlan& used = plan) {
  auto memory = MemoryDevice::create(used.blocks * verify_block_bytes);
  EXPECT_TRUE(memory.ok());
  FaultDevice device(*std::move(memory), std::move(write_faults));
  auto journal = VerifyJournal::in_memory(used);
  EXPECT_TRUE(journal.ok());
  VerifyReport report;
  verify_write(device, used, **journal, {}, report);
  *strikes = device.strikes();
  if (!report.error.ok()) return report;
  if (!read_faults.rules.empty()) device.arm(std::move(read_faults));
  verify_read(device, used, **journal, {}, report);
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
  // One thread, so that the n-th write is known: a step that 3 does not divide meets both those
  // that are covered by a second write and those that are not.
  for (std::uint64_t nth = 1; nth <= 1300; nth += 98) {
    std::uint64_t strikes = 0;
    const auto report =
        run_with(fault(FaultKind::lost_write, IoKind::write, nth, 1), {}, &strikes, one_thread);
    ASSERT_EQ(strikes, 1U);
    const bool second = nth > plan.blocks;
    const bool covered = !second && (nth - 1) % 3 == 0;
    ASSERT_EQ(found(report, BlockState::stale), second ? 1U : 0U) << nth;
    ASSERT_EQ(found(report, BlockState::lost), second || covered ? 0U : 1U) << nth;
    ASSERT_EQ(report.clean(), covered) << nth;
    if (covered) continue;
    ASSERT_FALSE(report.issues.at(0).passed_on_second_read) << nth;
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
    // One thread, so that the write is always the same: one that lands partly on its own place
    // would leave it misplaced, not stale.
    const auto report = run_with(fault(FaultKind::misdirected_write, IoKind::write, 1100, seed), {},
                                 &strikes, one_thread);
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
  FaultDevice device(*std::move(memory), faults);
  auto journal = VerifyJournal::in_memory(one_thread);
  ASSERT_TRUE(journal.ok());
  VerifyReport written;
  verify_write(device, one_thread, **journal, {}, written);
  ASSERT_TRUE(written.error.ok());
  VerifyReport report;
  verify_read(device, one_thread, **journal, {}, report);
  EXPECT_EQ(device.strikes(), 1U);
  ASSERT_EQ(found(report, BlockState::stale) + found(report, BlockState::lost), 1U);
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
    auto journal = VerifyJournal::create(path, plan);
    ASSERT_TRUE(journal.ok());
    (*journal)->name_target("/there");
    VerifyReport report;
    verify_write(device, plan, **journal, {}, report);
    ASSERT_FALSE(report.error.ok());
  }
  EXPECT_FALSE(VerifyJournal::create(path, plan).ok());
  device.arm({});
  auto journal = VerifyJournal::open(path);
  ASSERT_TRUE(journal.ok());
  EXPECT_EQ((*journal)->target(), "/there");
  const VerifyPlan kept = (*journal)->plan();
  EXPECT_EQ(kept.run, plan.run);
  EXPECT_EQ(kept.seed, plan.seed);
  EXPECT_EQ(kept.blocks, plan.blocks);
  EXPECT_EQ(kept.threads, plan.threads);
  EXPECT_EQ((*journal)->acknowledged_blocks(), plan.blocks);
  VerifyReport report;
  verify_read(device, kept, **journal, {}, report);
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

TEST(Verify, JournalsOfOtherVersionsAreRefused) {
  const TempFolder folder;
  const std::string path = folder.path() / "journal";
  const auto why = [&path](const std::string& bytes) -> std::string {
    std::ofstream(path, std::ios::binary) << bytes;
    const auto journal = VerifyJournal::open(path);
    return journal.ok() ? "" : journal.error().context;
  };
  const std::string rest(40000, '\0');
  EXPECT_NE(why("2nrJtloV" + rest).find("older voltest"), std::string::npos);
  EXPECT_NE(why("4nrJtloV" + rest).find("newer voltest"), std::string::npos);
  for (const std::string& other : {std::string(), std::string("3nrJ"), "3nrJtloV" + rest, rest}) {
    EXPECT_NE(why(other).find("not a journal"), std::string::npos) << other.substr(0, 8);
  }
}

}  // namespace
}  // namespace volt
