// How far a verification had come, kept in a file that outlives a kill.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "crypto/result.h"

namespace volt {

inline constexpr unsigned max_verify_threads = 64;
inline constexpr std::size_t max_target_name = 4096;

struct VerifyPlan {
  std::uint64_t run = 0;     // BlockLabel::run: of new_verify_run(), for each run another
  std::uint64_t seed = 1;    // of the order
  std::uint64_t blocks = 0;  // of verify_block_bytes, from offset 0
  unsigned threads = 4;      // at least one block for each
};

// What is mapped. Counters only grow. Fixed layout: a later run of the program reads it.
struct VerifyProgress {
  std::uint64_t magic;
  std::uint64_t run;  // BlockLabel::run of all that was written
  std::uint64_t seed;
  std::uint64_t blocks;
  std::uint64_t threads;
  char target[max_target_name];  // what was written to, ends with a zero
  struct Slice {
    std::atomic<std::uint64_t> acknowledged[2];  // writes of generation 1 and 2, in their order
    std::atomic<std::uint64_t> flushed[2];       // of those, followed by a flush that succeeded
  } slices[max_verify_threads];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// In memory only, or mapped from a file: a kill of the program loses nothing of it (a crash of the
// machine may; the file should lie on another disk than the one under test).
// Thread contract: slices[i] is written by one thread.
class VerifyJournal {
 public:
  static Result<std::unique_ptr<VerifyJournal>> in_memory(const VerifyPlan& plan);
  // A new file; busy where it exists already.
  static Result<std::unique_ptr<VerifyJournal>> create(const std::string& path,
                                                       const VerifyPlan& plan);
  // An earlier one. invalid_argument where it is no journal, or one of another version of voltest.
  static Result<std::unique_ptr<VerifyJournal>> open(const std::string& path);
  ~VerifyJournal();
  VerifyJournal(const VerifyJournal&) = delete;
  VerifyJournal& operator=(const VerifyJournal&) = delete;

  // What the run writes to, so that no other target is checked against it. A longer name is cut.
  void name_target(std::string_view name) noexcept;
  std::string_view target() const noexcept { return progress_->target; }

  // What the run was told to do.
  VerifyPlan plan() const noexcept;
  // Writes of the first generation that were acknowledged: none, and there is nothing to check.
  std::uint64_t acknowledged_blocks() const noexcept;

  VerifyProgress& progress() noexcept { return *progress_; }
  const VerifyProgress& progress() const noexcept { return *progress_; }

 private:
  explicit VerifyJournal(void* memory) noexcept : progress_(static_cast<VerifyProgress*>(memory)) {}
  static Result<std::unique_ptr<VerifyJournal>> map(int fd);

  VerifyProgress* progress_;
};

}  // namespace volt
