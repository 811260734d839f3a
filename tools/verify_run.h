// Writes self-describing blocks from several threads and reads them back in another order.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "blockdev/block_device.h"
#include "tools/verify_block.h"
#include "tools/verify_journal.h"

namespace volt {

struct VerifyIssue {
  std::uint64_t block = 0;
  BlockFinding finding;
  bool passed_on_second_read = false;  // the disk had it, a cache or the way back was wrong
  bool flushed = true;                 // the write was acknowledged by a flush as well
};

struct VerifyReport {
  std::uint64_t written_blocks = 0;
  std::uint64_t checked_blocks = 0;
  std::uint64_t good_blocks = 0;
  std::array<std::uint64_t, block_states> states{};
  std::vector<VerifyIssue> issues;  // the first max_issues
  Status error;                     // the first request that failed
  std::uint64_t error_block = 0;
  bool interrupted = false;

  bool clean() const noexcept { return error.ok() && checked_blocks == good_blocks; }
};
inline constexpr std::size_t max_issues = 100;

using VerifyWatcher =
    std::function<void(const char* what, std::uint64_t done, std::uint64_t total)>;

// Every block is written once (generation 1), flushed, and every third of a random order a second
// time (generation 2), flushed again. Each thread has its own slice. Progress goes into `journal`
// as writes are acknowledged. Stops at the first failed request, and where interrupted() is set.
void verify_write(BlockDevice& device, const VerifyPlan& plan, VerifyJournal& journal,
                  const VerifyWatcher& watch, VerifyReport& report);

// Reads every block that the journal says was acknowledged, each thread the slice of another one
// and in another order, and examines it. What is bad is read a second time. A block whose second
// write was under way when the journal ended may be of either generation.
void verify_read(BlockDevice& device, const VerifyPlan& plan, const VerifyJournal& journal,
                 const VerifyWatcher& watch, VerifyReport& report);

}  // namespace volt
