#include "tools/bench_report_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/bench_host.h"
#include "tools/bench_result.h"
#include "tools/size_text.h"

namespace volt {
namespace {

constexpr std::size_t shortest_bar = 6;
constexpr std::size_t longest_bar = 24;

std::string per_byte(std::uint64_t nanoseconds, std::uint64_t bytes) {
  if (bytes == 0) return "";
  return figure(static_cast<double>(nanoseconds) / static_cast<double>(bytes));
}

std::vector<TableColumn> columns(bool with_target, bool with_bars, bool with_daemon) {
  std::vector<TableColumn> all;
  if (with_target) all.push_back({"target", true, 0});
  all.push_back({"test", true, 0});
  all.push_back({"op", true, 0});
  all.push_back({"MB/s", false, 0});
  if (with_bars) all.push_back({"", true, 3});
  all.push_back({"±%", false, 4});
  all.push_back({"min", false, 5});
  all.push_back({"max", false, 5});
  all.push_back({"IOPS", false, 1});
  all.push_back({"p50", false, 2});
  all.push_back({"p99", false, 2});
  all.push_back({"p99.9", false, 6});
  all.push_back({"p99.99", false, 7});
  all.push_back({"max lat", false, 5});
  all.push_back({"cpu ns/B", false, 4});
  if (with_daemon) all.push_back({"daemon ns/B", false, 4});
  return all;
}

// A percentile that only the slowest request stands for is no percentile.
std::string percentile_text(const LatencyHistogram& latency, double fraction,
                            std::uint64_t requests) {
  if (static_cast<double>(requests) * (1 - fraction) < 0.999) return "";
  return format_latency(latency.percentile_ns(fraction));
}

bool any_daemon(const Session& session) {
  return std::any_of(session.targets.begin(), session.targets.end(),
                     [](const BenchTarget& target) { return target.daemon.has_value(); });
}

// What is left of the line beside the figures.
std::size_t bar_cells_for(std::size_t terminal) {
  if (terminal == 0) return 0;
  constexpr std::size_t beside = 70;
  return std::clamp(terminal > beside ? (terminal - beside) / 2 : 0, shortest_bar, longest_bar);
}

std::vector<std::string> cells_of(const Session& session, const TestRow& row, bool with_target,
                                  double best, std::size_t bar_cells) {
  std::vector<std::string> cells;
  if (with_target) cells.push_back(session.targets[row.target].path);
  cells.push_back(row.test.workload.name);
  cells.push_back(op_name(row.test.op));
  if (row.runs.empty()) {
    cells.push_back("-");
    return cells;
  }
  const RowSummary summary = summarise(row.runs);
  cells.push_back(figure(summary.mb_per_s) + (row.partial ? " *" : ""));
  if (bar_cells > 0) {
    cells.push_back(bar(best > 0 ? summary.mb_per_s / best : 0, bar_cells, utf8_locale()));
  }
  const double spread =
      summary.spread.median > 0 ? summary.spread.mad / summary.spread.median * 100 : 0;
  cells.push_back(fmt::format("{:.1f}", spread));
  cells.push_back(figure(summary.spread.min));
  cells.push_back(figure(summary.spread.max));
  cells.push_back(figure(summary.iops));
  const LatencyHistogram& latency = *summary.latency;
  for (const double fraction : {0.5, 0.99, 0.999, 0.9999}) {
    cells.push_back(percentile_text(latency, fraction, summary.requests));
  }
  cells.push_back(format_latency(latency.max_ns()));
  cells.push_back(per_byte(summary.cpu_ns, summary.bytes));
  if (any_daemon(session)) {
    const bool told = summary.daemon_cpu_ns != 0;
    cells.push_back(told ? per_byte(summary.daemon_cpu_ns, summary.bytes) : "");
  }
  return cells;
}

double best_rate(const Session& session, std::size_t target, bool all) {
  double best = 0;
  for (const TestRow& row : session.rows) {
    if (all || row.target == target) best = std::max(best, summarise(row.runs).mb_per_s);
  }
  return best;
}

std::string how_measured(const Session& session, const BenchOptions& options) {
  return fmt::format(
      "Median of {} run{} of at most {:g} s (±: median absolute deviation), {}; rates are bytes "
      "over"
      " wall time, writes to the end of fdatasync; latencies at most {:.1f} % too high; test data"
      " made beforehand at {}",
      options.loops, options.loops == 1 ? "" : "s", static_cast<double>(options.runtime_ns) / 1e9,
      engine_name(session.engine), 100.0 / (1U << LatencyHistogram::step_bits),
      format_rate(measured_rates().generator));
}

}  // namespace

std::string figure(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  if (value >= 1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3f}", value);
}

std::string describe_target(const BenchTarget& target) {
  std::string text = target.kind == TargetKind::null ? "null: " : target.path + ": ";
  switch (target.kind) {
    case TargetKind::null:
      return text + "requests that do nothing";
    case TargetKind::directory:
      text += "new file in a folder";
      break;
    case TargetKind::file:
      text += "file";
      break;
    case TargetKind::block_device:
      text += "block device";
      break;
    case TargetKind::composed:
      text += "composed container";
      break;
    case TargetKind::voltd:
      text += target.daemon->plain
                  ? "voltd, not encrypted"
                  : fmt::format("voltd, {} ({})", target.daemon->cipher, target.daemon->kernel);
      break;
  }
  text += fmt::format(", {} measured", format_size(target.range_bytes));
  const StorageFacts& facts = target.daemon ? target.backing : target.storage;
  const std::string storage = describe_storage(facts);
  if (!storage.empty()) text += ", " + storage;
  return text + ", O_DIRECT " + direct_state_name(target.direct);
}

TextTable session_table(const Session& session, bool with_target, std::size_t bar_cells) {
  TextTable table(columns(with_target, bar_cells > 0, any_daemon(session)));
  const double best = best_rate(session, 0, true);
  for (const TestRow& row : session.rows) {
    table.add_row(cells_of(session, row, with_target, best, bar_cells));
  }
  return table;
}

std::vector<std::string> session_notes(const Session& session) {
  std::vector<std::string> notes = session.notes;
  for (const BenchTarget& target : session.targets) {
    for (const std::string& note : target.notes) {
      notes.push_back(target.kind == TargetKind::null ? note : target.path + ": " + note);
    }
  }
  bool partial = false;
  for (const TestRow& row : session.rows) {
    partial = partial || (row.partial && !row.runs.empty());
    if (row.left_out.empty()) continue;
    notes.push_back(fmt::format("{}: {} {}: {}", session.targets[row.target].path,
                                row.test.workload.name, op_name(row.test.op), row.left_out));
  }
  if (partial) notes.emplace_back("* is a partial result: its test did not run to its end");
  if (session.interrupted) notes.emplace_back("interrupted: these are the results so far");
  return notes;
}

void print_notes(const Session& session, std::FILE* out) {
  for (const std::string& note : session_notes(session)) {
    print_sentence(out, "note: " + note);
  }
}

void print_session(const Session& session, const BenchOptions& options, std::FILE* out) {
  const std::size_t width = text_width(out);
  const std::size_t bars = bar_cells_for(terminal_width(out));
  print_sentence(out, host_line());
  for (std::size_t i = 0; i < session.targets.size(); ++i) {
    TextTable table(columns(false, bars > 0, any_daemon(session)));
    const double best = best_rate(session, i, false);
    for (const TestRow& row : session.rows) {
      if (row.target == i) table.add_row(cells_of(session, row, false, best, bars));
    }
    fmt::print(out, "\n");
    print_sentence(out, describe_target(session.targets[i]));
    fmt::print(out, "{}", table.text(width));
  }
  fmt::print(out, "\n");
  print_sentence(out, how_measured(session, options));
  print_notes(session, out);
}

}  // namespace volt
