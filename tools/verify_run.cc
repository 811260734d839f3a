#include "tools/verify_run.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tools/bench_data.h"
#include "tools/bench_workload.h"
#include "tools/interrupt.h"

namespace volt {
namespace {

constexpr std::uint64_t flush_every = 256;  // writes of a thread between two flushes

struct SliceRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

SliceRange slice_of(const VerifyPlan& plan, unsigned index) {
  const std::uint64_t each = plan.blocks / plan.threads;
  const bool last = index + 1 == plan.threads;
  return {each * index, last ? plan.blocks - each * index : each};
}

// The order in which a slice's blocks are written, the same for both generations.
BlockPermutation write_order(const VerifyPlan& plan, unsigned slice) {
  return {slice_of(plan, slice).count, plan.seed * 31 + slice};
}

// Writes of generation 2 in a slice: every third of the order.
std::uint64_t second_writes(std::uint64_t count) {
  return (count + 2) / 3;
}

// What the threads of a pass share.
struct Shared {
  BlockDevice& device;
  const VerifyPlan& plan;
  VerifyReport& report;
  std::mutex mutex;  // guards report
  std::atomic<std::uint64_t> done{0};
  std::atomic<bool> stop{false};

  void fail(const Error& error, std::uint64_t block) {
    const std::scoped_lock lock(mutex);
    stop.store(true);
    if (!report.error.ok()) return;
    report.error = error;
    report.error_block = block;
  }
};

void write_slice(Shared& shared, VerifyProgress::Slice& progress, unsigned slice, int pass) {
  const SliceRange range = slice_of(shared.plan, slice);
  const BlockPermutation order = write_order(shared.plan, slice);
  const std::uint64_t total = pass == 0 ? range.count : second_writes(range.count);
  auto buffer = AlignedBuffer::create(verify_block_bytes);
  if (!buffer) return shared.fail(buffer.error(), range.first);
  const MutableByteSpan block(buffer->data(), buffer->size());
  std::uint64_t written = 0;
  while (written < total && !shared.stop.load(std::memory_order_relaxed)) {
    const std::uint64_t index = range.first + order(pass == 0 ? written : written * 3);
    fill_verify_block(block, {shared.plan.run, index, static_cast<std::uint32_t>(pass + 1)});
    const Status status = shared.device.write(index * verify_block_bytes, block);
    if (!status.ok()) return shared.fail(status.error(), index);
    progress.acknowledged[pass].store(++written, std::memory_order_release);
    shared.done.fetch_add(1, std::memory_order_relaxed);
    if (written % flush_every != 0 && written != total) continue;
    const Status flushed = shared.device.flush();
    if (!flushed.ok()) return shared.fail(flushed.error(), index);
    progress.flushed[pass].store(written, std::memory_order_release);
  }
}

// Where in its slice's order a block stands; found by walking the order once.
std::vector<std::uint64_t> positions(const VerifyPlan& plan, unsigned slice) {
  const SliceRange range = slice_of(plan, slice);
  const BlockPermutation order = write_order(plan, slice);
  std::vector<std::uint64_t> place(range.count);
  for (std::uint64_t i = 0; i < range.count; ++i) place[order(i)] = i;
  return place;
}

// Examines what was read; a second write that was not acknowledged may have arrived or not.
BlockFinding examine(ByteSpan block, const BlockLabel& expected, bool next_may_be_there) {
  const BlockFinding finding = examine_verify_block(block, expected);
  if (finding.state == BlockState::good || !next_may_be_there) return finding;
  BlockLabel next = expected;
  ++next.generation;
  const BlockFinding other = examine_verify_block(block, next);
  return other.state == BlockState::good || other.state == BlockState::torn ? other : finding;
}

void record(Shared& shared, const VerifyIssue& issue) {
  const std::scoped_lock lock(shared.mutex);
  ++shared.report.states[static_cast<std::size_t>(issue.finding.state)];
  if (shared.report.issues.size() < max_issues) shared.report.issues.push_back(issue);
}

void read_slice(Shared& shared, const VerifyProgress::Slice& progress, unsigned slice) {
  const SliceRange range = slice_of(shared.plan, slice);
  const std::vector<std::uint64_t> place = positions(shared.plan, slice);
  const BlockPermutation order(range.count, shared.plan.seed * 131 + slice + 7);
  auto buffer = AlignedBuffer::create(verify_block_bytes);
  if (!buffer) return shared.fail(buffer.error(), range.first);
  const MutableByteSpan block(buffer->data(), buffer->size());
  const std::uint64_t first_pass = progress.acknowledged[0].load();
  const std::uint64_t second_pass = progress.acknowledged[1].load();
  std::uint64_t checked = 0;
  std::uint64_t good = 0;
  for (std::uint64_t i = 0; i < range.count && !shared.stop.load(); ++i) {
    const std::uint64_t local = order(i);
    const std::uint64_t position = place[local];
    shared.done.fetch_add(1, std::memory_order_relaxed);
    if (position >= first_pass) continue;  // not acknowledged: anything may stand there
    const bool twice = position % 3 == 0;
    const bool second = twice && position / 3 < second_pass;
    const std::uint64_t index = range.first + local;
    const BlockLabel expected{shared.plan.run, index, second ? 2U : 1U};
    const bool next_under_way = twice && !second && position / 3 == second_pass;
    const Status status = shared.device.read(index * verify_block_bytes, block);
    if (!status.ok()) return shared.fail(status.error(), index);
    ++checked;
    VerifyIssue issue{index, examine(block, expected, next_under_way), false, true};
    if (issue.finding.state == BlockState::good) {
      ++good;
      continue;
    }
    issue.flushed =
        second ? position / 3 < progress.flushed[1].load() : position < progress.flushed[0].load();
    issue.passed_on_second_read =
        shared.device.read(index * verify_block_bytes, block).ok() &&
        examine(block, expected, next_under_way).state == BlockState::good;
    record(shared, issue);
  }
  const std::scoped_lock lock(shared.mutex);
  shared.report.checked_blocks += checked;
  shared.report.good_blocks += good;
  shared.report.states[0] += good;
}

// Runs one function a thread and watches; returns when all have ended.
template <class Function>
void run_threads(Shared& shared, const char* what, std::uint64_t total, const VerifyWatcher& watch,
                 Function function) {
  constexpr std::chrono::milliseconds look_every{20};
  std::mutex mutex;
  std::condition_variable ended;
  unsigned running = shared.plan.threads;  // guarded by mutex
  std::vector<std::jthread> threads;
  {
    const SignalsBlocked blocked;
    for (unsigned i = 0; i < shared.plan.threads; ++i) {
      threads.emplace_back([&, i] {
        function(i);
        const std::scoped_lock lock(mutex);
        --running;
        ended.notify_all();
      });
    }
  }
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, look_every, [&] { return running == 0; })) {
    lock.unlock();
    if (interrupted()) {
      shared.stop.store(true);
      shared.report.interrupted = true;
    }
    if (watch) watch(what, shared.done.load(), total);
    lock.lock();
  }
}

}  // namespace

void verify_write(BlockDevice& device, const VerifyPlan& plan, VerifyJournal& journal,
                  const VerifyWatcher& watch, VerifyReport& report) {
  Shared shared{device, plan, report, {}};
  const std::uint64_t total = plan.blocks + second_writes(plan.blocks);
  for (int pass = 0; pass < 2 && !shared.stop.load(); ++pass) {
    run_threads(shared, pass == 0 ? "writing" : "writing again", total, watch,
                [&](unsigned i) { write_slice(shared, journal.progress().slices[i], i, pass); });
  }
  report.written_blocks = shared.done.load();
}

void verify_read(BlockDevice& device, const VerifyPlan& plan, const VerifyJournal& journal,
                 const VerifyWatcher& watch, VerifyReport& report) {
  Shared shared{device, plan, report, {}};
  run_threads(shared, "reading back", plan.blocks, watch, [&](unsigned i) {
    const unsigned other = (i + 1) % plan.threads;
    read_slice(shared, journal.progress().slices[other], other);
  });
}

}  // namespace volt
