// voltest verify: whether what was written comes back.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "blockdev/host/command_line.h"
#include "tools/common/progress_line.h"
#include "tools/common/size_text.h"
#include "tools/voltest/commands/voltest_commands.h"
#include "tools/voltest/measure/container.h"
#include "tools/voltest/measure/failure.h"
#include "tools/voltest/measure/fd_device.h"
#include "tools/voltest/measure/host.h"
#include "tools/voltest/measure/options.h"
#include "tools/voltest/report/output.h"
#include "tools/voltest/report/report_text.h"
#include "tools/voltest/report/result.h"
#include "tools/voltest/verify/verify_run.h"

namespace volt {
namespace {

struct State {
  std::string target;
  bool seed_given = false;
  std::string size_text = "1G";
  unsigned threads = 4;
  std::uint64_t seed = 1;
  bool destructive = false;
  std::string journal_path;
  std::string resume_path;
  std::string json_path;
};

std::uint64_t new_run() {
  const auto run = new_verify_run();
  if (!run) throw BenchFailure("run", run.error());
  return *run;
}

std::unique_ptr<VerifyJournal> make_journal(const State& state, const VerifyPlan& plan) {
  auto journal = state.journal_path.empty() ? VerifyJournal::in_memory(plan)
                                            : VerifyJournal::create(state.journal_path, plan);
  if (!journal) throw BenchFailure(state.journal_path, journal.error());
  return *std::move(journal);
}

// The same target under any path to it, and behind any simulated disk; of a voltd mount its
// container, wherever it is mounted.
std::string identity_of(const BenchTarget& target) {
  if (target.daemon) return "container " + container_identity(target.daemon->container);
  return container_identity(target.device != nullptr ? target.path : target.io_path);
}

void check_same_target(const VerifyJournal& journal, const BenchTarget& target) {
  const std::string identity = identity_of(target);
  if (journal.target() == identity.substr(0, max_target_name - 1)) return;
  throw BenchFailure(target.path,
                     fmt::format("the earlier run wrote to another target: {}, this is {}",
                                 journal.target(), identity),
                     exit_wrong_parameters);
}

// The progress of the earlier run.
std::unique_ptr<VerifyJournal> open_journal(const State& state, bool seed_given) {
  auto journal = VerifyJournal::open(state.resume_path);
  if (!journal) throw BenchFailure(state.resume_path, journal.error());
  const VerifyProgress& progress = (*journal)->progress();
  if (seed_given && state.seed != progress.seed) {
    throw BenchFailure("--seed",
                       fmt::format("{} is not the earlier run's, which was {}; leave it out",
                                   state.seed, progress.seed),
                       exit_wrong_parameters);
  }
  // Where nothing is checked, nothing could be found wrong: that is no pass.
  if ((*journal)->acknowledged_blocks() == 0) {
    throw BenchFailure(state.resume_path,
                       "the earlier run ended before a write was acknowledged: there is nothing to "
                       "check; run voltest verify anew",
                       exit_wrong_device);
  }
  return *std::move(journal);
}

BenchTarget open_for(const State& state, std::uint64_t bytes) {
  TargetOptions options;
  options.size_bytes = bytes;
  options.min_bytes = verify_block_bytes * state.threads;
  options.destructive = state.destructive;
  options.read_only = !state.resume_path.empty();
  BenchTarget target = open_target(state.target, options);
  if (target.kind == TargetKind::null) {
    throw BenchFailure(state.target, "keeps nothing that could be verified", exit_wrong_parameters);
  }
  if (!options.read_only && !target.writable) {
    throw BenchFailure(state.target, "verifying overwrites it: needs --destructive",
                       exit_wrong_parameters);
  }
  if (target.scratch && !state.journal_path.empty()) {
    throw BenchFailure("--journal", "a run in a folder cannot be resumed: its file has no name",
                       exit_wrong_parameters);
  }
  return target;
}

// A block that holds nothing of this run.
std::string lost_text(const VerifyIssue& issue) {
  const std::uint64_t run = issue.finding.found_run;
  const std::string found =
      run == 0 ? "nothing of this run" : "a block of the older run " + verify_run_name(run);
  if (issue.passed_on_second_read) {
    return "stale read: " + found + " came first, the right one after it";
  }
  return "lost write: " + found + " stands there" +
         (issue.flushed ? "" : "; acknowledged but not flushed");
}

// What happened to the block, in words.
std::string issue_text(const VerifyIssue& issue) {
  const BlockFinding& finding = issue.finding;
  std::string text =
      fmt::format("block {} (offset {}): ", issue.block, issue.block * verify_block_bytes);
  switch (finding.state) {
    case BlockState::stale:
      text += issue.passed_on_second_read
                  ? fmt::format("stale read: generation {} came first, the right one after it",
                                finding.found_generation)
                  : fmt::format("lost write: still generation {}", finding.found_generation);
      return text;
    case BlockState::misplaced:
      text += fmt::format("misplaced: holds block {}", finding.found_block);
      break;
    case BlockState::lost:
      return text + lost_text(issue);
    default:
      text += fmt::format("{} from sector {} on", block_state_name(finding.state),
                          finding.first_bad_sector);
  }
  if (issue.passed_on_second_read) text += "; right when read again";
  if (!issue.flushed) text += "; acknowledged but not flushed";
  return text;
}

nlohmann::ordered_json report_json(const BenchTarget& target, const VerifyPlan& plan,
                                   const VerifyReport& report) {
  nlohmann::ordered_json json;
  json["schema"] = "voltest-verify/1";
  json["host"] = host_json(false);
  json["target"] = target_json(target);
  json["run"] = verify_run_name(plan.run);
  json["seed"] = plan.seed;
  json["threads"] = plan.threads;
  json["block_bytes"] = verify_block_bytes;
  json["blocks"] = plan.blocks;
  json["written_blocks"] = report.written_blocks;
  json["checked_blocks"] = report.checked_blocks;
  json["good_blocks"] = report.good_blocks;
  for (std::size_t i = 1; i < block_states; ++i) {
    json["found"][block_state_name(static_cast<BlockState>(i))] = report.states[i];
  }
  json["interrupted"] = report.interrupted;
  json["error"] = report.error.ok() ? nlohmann::ordered_json(nullptr)
                                    : nlohmann::ordered_json(describe_error(report.error.error()));
  json["issues"] = nlohmann::ordered_json::array();
  for (const VerifyIssue& issue : report.issues) {
    json["issues"].push_back({{"block", issue.block},
                              {"state", block_state_name(issue.finding.state)},
                              {"right_on_second_read", issue.passed_on_second_read},
                              {"flushed", issue.flushed},
                              {"text", issue_text(issue)}});
  }
  return json;
}

void print_report(const VerifyReport& report, std::FILE* out) {
  fmt::print(out, "{} blocks of {} written, {} checked, {} good\n", report.written_blocks,
             format_size(verify_block_bytes), report.checked_blocks, report.good_blocks);
  constexpr std::size_t shown = 20;
  for (std::size_t i = 0; i < std::min(shown, report.issues.size()); ++i) {
    fmt::print(out, "  {}\n", issue_text(report.issues[i]));
  }
  const std::uint64_t bad = report.checked_blocks - report.good_blocks;
  if (bad > shown) fmt::print(out, "  and {} more\n", bad - shown);
  if (!report.error.ok()) {
    fmt::print(out, "stopped at block {}: {}\n", report.error_block,
               describe_error(report.error.error()));
  }
  if (report.interrupted) fmt::print(out, "note: interrupted: these are the results so far\n");
  if (report.clean() && !report.interrupted) fmt::print(out, "everything came back\n");
}

void run_verify(const State& state, bool seed_given, int* status) {
  const auto size = parse_size(state.size_text);
  if (!size || *size < verify_block_bytes * state.threads) {
    throw BenchFailure("--size", "'" + state.size_text + "': at least 4K for each thread",
                       exit_wrong_parameters);
  }
  const OutputOptions output{.json_path = state.json_path, .csv_path = "", .markdown_path = ""};
  check_outputs(output);
  if (!state.resume_path.empty() && (!state.journal_path.empty() || state.destructive)) {
    throw BenchFailure("--resume", "only reads: it goes with neither --journal nor --destructive",
                       exit_wrong_parameters);
  }
  VerifyPlan plan{0, state.seed, 0, state.threads};
  std::unique_ptr<VerifyJournal> journal;
  std::uint64_t bytes = *size;
  if (!state.resume_path.empty()) {
    journal = open_journal(state, seed_given);
    plan = journal->plan();
    bytes = plan.blocks * verify_block_bytes;
  }
  BenchTarget target = open_for(state, bytes);
  if (journal != nullptr) check_same_target(*journal, target);
  if (journal != nullptr && target.range_bytes < bytes) {
    throw BenchFailure(state.target, "is smaller than what the earlier run wrote",
                       exit_wrong_device);
  }
  if (journal == nullptr) plan.run = new_run();
  std::FILE* out = text_stream(output);
  print_sentence(out, describe_target(target));
  print_sentence(
      out, fmt::format("run {}{}, seed {}", verify_run_name(plan.run),
                       journal == nullptr ? "" : " (an earlier one, checked again)", plan.seed));
  ProgressLine progress;
  const auto watch = [&](const char* what, std::uint64_t done, std::uint64_t total) {
    progress.show_bytes(what, done * verify_block_bytes, total * verify_block_bytes);
  };
  FdDevice file(target.fd.get(), target.range_bytes);
  BlockDevice& device = target.device != nullptr ? *target.device : file;
  VerifyReport report;
  if (journal == nullptr) {
    plan.blocks = target.range_bytes / verify_block_bytes;
    journal = make_journal(state, plan);
    journal->name_target(identity_of(target));
    verify_write(device, plan, *journal, watch, report);
  }
  if (!report.interrupted && report.error.ok()) {
    drop_target_caches(target);
    verify_read(device, plan, *journal, watch, report);
  }
  if (report.interrupted && target.scratch)
    target.fd.release();  // the end of the process closes it
  progress.clear();
  for (const std::string& note : target.notes) print_sentence(out, "note: " + note);
  print_report(report, out);
  if (!state.json_path.empty()) write_json(report_json(target, plan, report), state.json_path);
  *status = exit_done;
  if (report.interrupted) *status = exit_status_of(ErrorCode::cancelled);
  if (!report.clean()) *status = exit_wrong_device;
}

}  // namespace

void add_verify_command(Command& program) {
  auto state = std::make_shared<State>();
  Command& command = program.add_command(
      "verify", "Whether what was written comes back: lost, torn, misplaced and stale blocks");
  command
      .add("TARGET", &state->target,
           "voltd mount point, folder, file, block device or composed container")
      .needed();
  command.add("--size", &state->size_text, "How much is written, at most [1G]");
  command.add("--threads", &state->threads, "Threads that write and read [4]")
      .between(1, max_verify_threads);
  command
      .add("--seed", &state->seed,
           "Seed of the order; the blocks differ from run to run anyway [1]")
      .tells(&state->seed_given);
  command.add("--destructive", &state->destructive,
              "Allow an existing volume, file or device to be overwritten");
  command.add("--journal", &state->journal_path,
              "Keep the progress here, for a --resume after a kill; not on the target");
  command.add("--resume", &state->resume_path,
              "Only check what an earlier run with this journal had acknowledged");
  command.add("--json", &state->json_path, "Write the result here as JSON (-: stdout)");
  command.runs([state] {
    int status = exit_done;
    run_verify(*state, state->seed_given, &status);
    return status;
  });
}

}  // namespace volt
