// Whether verification finds what a disk did wrong on media that hold earlier runs, of the same
// seed or of others, on fresh and on resumed runs: a hundred seeded trials of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "blockdev/fault_device.h"
#include "blockdev/memory_device.h"
#include "blockdev/seeded_random.h"
#include "tests/temp_folder.h"
#include "tools/verify_run.h"

namespace volt {
namespace {

constexpr std::uint64_t trials = 100;
constexpr std::uint64_t blocks = 36;
constexpr std::uint64_t disk_bytes = blocks * verify_block_bytes;
constexpr std::uint64_t second_writes = blocks / 3;  // at least so many, whatever the threads

enum class Resume { no, after_its_end, after_a_kill };

class Trial {
 public:
  explicit Trial(std::uint64_t seed) : state_(seed) {
    auto memory = MemoryDevice::create(disk_bytes);
    EXPECT_TRUE(memory.ok());
    device_ = std::make_unique<FaultDevice>(*std::move(memory), FaultPlan{});
  }

  std::uint64_t below(std::uint64_t limit) { return next_random(&state_) % limit; }

  // The plan of a run as voltest makes it: most people leave the seed alone.
  VerifyPlan next_plan() {
    const auto run = new_verify_run();
    EXPECT_TRUE(run.ok());
    const std::uint64_t seed = below(2) == 0 ? 1 : below(1000);
    return {*run, seed, blocks, 1 + static_cast<unsigned>(below(3))};
  }

  // A whole run without faults; its number is kept.
  void run_before(const VerifyPlan& plan) {
    device_->arm({});
    auto journal = VerifyJournal::in_memory(plan);
    ASSERT_TRUE(journal.ok());
    VerifyReport report;
    verify_write(*device_, plan, **journal, {}, report);
    ASSERT_TRUE(report.error.ok());
    earlier_.push_back(plan.run);
  }

  // One or two runs, the last with the seed and threads of the one to come where `alike`.
  void fill(const VerifyPlan& plan, bool alike) {
    if (below(2) == 0) run_before(next_plan());
    VerifyPlan last = next_plan();
    if (alike) {
      last.seed = plan.seed;
      last.threads = plan.threads;
    }
    run_before(last);
  }

  bool is_earlier(std::uint64_t run) const {
    return std::find(earlier_.begin(), earlier_.end(), run) != earlier_.end();
  }

  std::vector<std::uint8_t> content() {
    std::vector<std::uint8_t> bytes(disk_bytes);
    EXPECT_TRUE(device_->read(0, bytes).ok());
    return bytes;
  }

  // Writes under `faults` and checks; a resumed run checks with the journal read anew.
  VerifyReport run(const VerifyPlan& plan, FaultPlan faults, Resume resume) {
    const std::string path = folder_.path() / "journal";
    if (resume == Resume::after_a_kill) {
      // A flush where reads are what goes wrong: a write that was under way would leave its block
      // as it was, and what stood there before is then what stands there.
      const bool reads = faults.rules.at(0).kind == IoKind::read;
      FaultRule kill;
      kill.kind = reads ? IoKind::flush : IoKind::write;
      kill.nth = reads ? plan.threads + 1 : blocks + second_writes;
      faults.rules.push_back(kill);
    }
    device_->arm(std::move(faults));
    VerifyReport written;
    VerifyReport report;
    {
      auto journal =
          resume == Resume::no ? VerifyJournal::in_memory(plan) : VerifyJournal::create(path, plan);
      EXPECT_TRUE(journal.ok());
      verify_write(*device_, plan, **journal, {}, written);
      EXPECT_EQ(written.error.ok(), resume != Resume::after_a_kill);
      if (resume == Resume::no) verify_read(*device_, plan, **journal, {}, report);
    }
    if (resume != Resume::no) {
      auto journal = VerifyJournal::open(path);
      EXPECT_TRUE(journal.ok());
      verify_read(*device_, (*journal)->plan(), **journal, {}, report);
    }
    return report;
  }

  FaultDevice& device() { return *device_; }
  TempFolder& folder() { return folder_; }

 private:
  std::uint64_t state_;
  std::unique_ptr<FaultDevice> device_;
  std::vector<std::uint64_t> earlier_;
  TempFolder folder_;
};

std::uint64_t found(const VerifyReport& report, BlockState state) {
  return report.states[static_cast<std::size_t>(state)];
}

struct Scene {
  FaultKind fault;
  Resume resume;
};

class VerifyTrials : public testing::TestWithParam<Scene> {};

// A fault that no later write covers: at a second write, or, where one thread makes the order
// known, at the first write of a block that has no second one.
FaultPlan visible_fault(FaultKind kind, const VerifyPlan& plan, Trial& trial) {
  FaultRule rule;
  rule.fault = kind;
  if (kind == FaultKind::stale_read) {
    rule.kind = IoKind::read;
    rule.nth = 1 + trial.below(blocks);
  } else {
    rule.kind = IoKind::write;
    rule.nth = blocks + 1 + trial.below(second_writes - 1);
    if (plan.threads == 1 && trial.below(2) == 0) rule.nth = 2 + trial.below(second_writes) * 3;
  }
  return {trial.below(1000), {rule}};
}

TEST_P(VerifyTrials, FindTheFault) {
  const Scene& scene = GetParam();
  std::uint64_t detected = 0;
  for (std::uint64_t seed = 1; seed <= trials; ++seed) {
    SCOPED_TRACE(seed);
    Trial trial(seed);
    const VerifyPlan plan = trial.next_plan();
    trial.fill(plan, seed % 2 == 0);
    const VerifyReport report =
        trial.run(plan, visible_fault(scene.fault, plan, trial), scene.resume);
    // A kill is a strike as well; what is read after it is counted on.
    ASSERT_EQ(trial.device().strikes(), scene.resume == Resume::after_a_kill ? 2U : 1U);
    EXPECT_TRUE(report.error.ok());
    EXPECT_GE(report.checked_blocks, blocks);
    if (!report.clean()) ++detected;
    for (const VerifyIssue& issue : report.issues) {
      EXPECT_EQ(issue.passed_on_second_read, scene.fault == FaultKind::stale_read);
      if (issue.finding.state != BlockState::lost) continue;
      EXPECT_TRUE(trial.is_earlier(issue.finding.found_run));
    }
  }
  EXPECT_EQ(detected, trials);
}

// The disk that loses everything: not one block may pass.
TEST_P(VerifyTrials, FindThatEverythingIsLost) {
  const Scene& scene = GetParam();
  if (scene.fault != FaultKind::lost_write || scene.resume == Resume::after_a_kill) return;
  for (std::uint64_t seed = 1; seed <= trials; ++seed) {
    SCOPED_TRACE(seed);
    Trial trial(seed);
    const VerifyPlan plan = trial.next_plan();
    trial.fill(plan, seed % 2 == 0);
    FaultRule all;
    all.fault = FaultKind::lost_write;
    all.kind = IoKind::write;
    all.count = UINT64_MAX;
    const VerifyReport report = trial.run(plan, {seed, {all}}, scene.resume);
    ASSERT_EQ(found(report, BlockState::lost), blocks);
    ASSERT_EQ(report.good_blocks, 0U);
    for (const VerifyIssue& issue : report.issues) {
      ASSERT_TRUE(trial.is_earlier(issue.finding.found_run));
    }
  }
}

std::string name_of(const testing::TestParamInfo<Scene>& scene) {
  std::string name = scene.param.fault == FaultKind::lost_write          ? "Lost"
                     : scene.param.fault == FaultKind::misdirected_write ? "Misdirected"
                     : scene.param.fault == FaultKind::stale_read        ? "Stale"
                                                                         : "Torn";
  if (scene.param.resume == Resume::after_its_end) name += "Resumed";
  if (scene.param.resume == Resume::after_a_kill) name += "ResumedAfterAKill";
  return name;
}

std::vector<Scene> scenes() {
  std::vector<Scene> all;
  for (const FaultKind fault : {FaultKind::lost_write, FaultKind::misdirected_write,
                                FaultKind::torn_write_unseen, FaultKind::stale_read}) {
    for (const Resume resume : {Resume::no, Resume::after_its_end, Resume::after_a_kill}) {
      all.push_back({fault, resume});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Faults, VerifyTrials, testing::ValuesIn(scenes()), name_of);

TEST(VerifyTrials, PassAGoodDisk) {
  for (std::uint64_t seed = 1; seed <= trials; ++seed) {
    SCOPED_TRACE(seed);
    Trial trial(seed);
    const VerifyPlan plan = trial.next_plan();
    trial.fill(plan, true);
    const Resume resume = seed % 2 == 0 ? Resume::no : Resume::after_its_end;
    const VerifyReport report = trial.run(plan, {}, resume);
    ASSERT_TRUE(report.clean());
    ASSERT_EQ(report.good_blocks, blocks);
  }
}

// Blocks put back as they were before the run, or in the middle of it.
TEST(VerifyTrials, ResumeFindsWhatWasRestored) {
  for (std::uint64_t seed = 1; seed <= trials; ++seed) {
    SCOPED_TRACE(seed);
    Trial trial(seed);
    const VerifyPlan plan = trial.next_plan();
    trial.fill(plan, true);
    const std::vector<std::uint8_t> before = trial.content();
    const std::string path = trial.folder().path() / "journal";
    ASSERT_TRUE(trial.run(plan, {}, Resume::after_its_end).clean());
    const std::uint64_t first = trial.below(blocks);
    const std::uint64_t count = 1 + trial.below(blocks - first);
    const ByteSpan old =
        ByteSpan(before).subspan(first * verify_block_bytes, count * verify_block_bytes);
    ASSERT_TRUE(trial.device().write(first * verify_block_bytes, old).ok());
    auto journal = VerifyJournal::open(path);
    ASSERT_TRUE(journal.ok());
    VerifyReport report;
    verify_read(trial.device(), (*journal)->plan(), **journal, {}, report);
    ASSERT_EQ(found(report, BlockState::lost), count);
    ASSERT_EQ(report.good_blocks, blocks - count);
  }
}

}  // namespace
}  // namespace volt
