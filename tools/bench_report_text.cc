#include "tools/bench_report_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/bench_host.h"
#include "tools/bench_result.h"
#include "tools/size_text.h"

namespace volt {
namespace {

constexpr std::size_t default_width = 140;  // where the output is no terminal
constexpr std::size_t bar_width = 16;

std::string per_byte(std::uint64_t nanoseconds, std::uint64_t bytes) {
  if (bytes == 0) return "";
  return figure(static_cast<double>(nanoseconds) / static_cast<double>(bytes));
}

std::vector<TableColumn> columns(bool with_target, bool with_bars) {
  std::vector<TableColumn> all;
  if (with_target) all.push_back({"target", true, 0});
  all.push_back({"test", true, 0});
  all.push_back({"op", true, 0});
  all.push_back({"MB/s", false, 0});
  if (with_bars) all.push_back({"", true, 8});
  all.push_back({"±%", false, 3});
  all.push_back({"min", false, 5});
  all.push_back({"max", false, 5});
  all.push_back({"IOPS", false, 1});
  all.push_back({"p50", false, 2});
  all.push_back({"p99", false, 2});
  all.push_back({"p99.9", false, 6});
  all.push_back({"p99.99", false, 7});
  all.push_back({"max lat", false, 4});
  all.push_back({"cpu ns/B", false, 4});
  all.push_back({"daemon ns/B", false, 4});
  return all;
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
    cells.push_back(format_latency(latency.percentile_ns(fraction)));
  }
  cells.push_back(format_latency(latency.max_ns()));
  cells.push_back(per_byte(summary.cpu_ns, summary.bytes));
  cells.push_back(summary.daemon_cpu_ns == 0 ? "" : per_byte(summary.daemon_cpu_ns, summary.bytes));
  return cells;
}

double best_rate(const Session& session, std::size_t target, bool all) {
  double best = 0;
  for (const TestRow& row : session.rows) {
    if (all || row.target == target) best = std::max(best, summarise(row.runs).mb_per_s);
  }
  return best;
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
  TextTable table(columns(with_target, bar_cells > 0));
  const double best = best_rate(session, 0, true);
  for (const TestRow& row : session.rows) {
    table.add_row(cells_of(session, row, with_target, best, bar_cells));
  }
  return table;
}

void print_notes(const Session& session, std::FILE* out) {
  const auto print = [&](const std::string& text) { fmt::print(out, "note: {}\n", text); };
  for (const std::string& note : session.notes) print(note);
  for (const BenchTarget& target : session.targets) {
    for (const std::string& note : target.notes) {
      print(target.kind == TargetKind::null ? note : target.path + ": " + note);
    }
  }
  std::vector<std::string> problems;
  for (const TestRow& row : session.rows) {
    if (row.left_out.empty()) continue;
    problems.push_back(fmt::format("{}: {} {}: {}", session.targets[row.target].path,
                                   row.test.workload.name, op_name(row.test.op), row.left_out));
  }
  for (const std::string& problem : problems) print(problem);
  for (const TestRow& row : session.rows) {
    if (row.partial && !row.runs.empty()) {
      print("* is a partial result: its test did not run to its end");
      break;
    }
  }
  if (session.interrupted) print("interrupted: these are the results so far");
}

void print_session(const Session& session, const BenchOptions& options, std::FILE* out) {
  fmt::print(out, "{}\n", host_line());
  const std::size_t terminal = terminal_width(out);
  const std::size_t width = terminal == 0 ? default_width : terminal;
  for (std::size_t i = 0; i < session.targets.size(); ++i) {
    TextTable table(columns(false, terminal > 0));
    const double best = best_rate(session, i, false);
    for (const TestRow& row : session.rows) {
      if (row.target != i) continue;
      table.add_row(cells_of(session, row, false, best, terminal > 0 ? bar_width : 0));
    }
    fmt::print(out, "\n{}\n{}", describe_target(session.targets[i]), table.text(width));
  }
  fmt::print(out,
             "\nMedian of {} runs of at most {:.1f} s (±: median absolute deviation), {}; rates are"
             " bytes over wall time, writes to the end of fdatasync; latencies at most {:.1f} % too"
             " high\n",
             options.loops, static_cast<double>(options.runtime_ns) / 1e9,
             engine_name(session.engine), 100.0 / (1U << LatencyHistogram::step_bits));
  print_notes(session, out);
}

}  // namespace volt
