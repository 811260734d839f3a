#include "tools/bench_output.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "tools/bench_failure.h"
#include "tools/bench_host.h"
#include "tools/bench_report_text.h"
#include "tools/bench_result.h"

namespace volt {
namespace {

constexpr std::size_t default_width = 200;  // where the output is no terminal

bool standard_output_taken(const BenchOptions& options, const OutputOptions& output) {
  const int takers = static_cast<int>(options.json_path == "-") +
                     static_cast<int>(output.csv_path == "-") +
                     static_cast<int>(output.markdown_path == "-");
  if (takers > 1) {
    throw BenchFailure("-", "only one of --json, --csv and --markdown can have standard output",
                       exit_wrong_parameters);
  }
  return takers == 1;
}

std::string markdown_of(const Session& session, const std::vector<Comparison>& comparisons) {
  std::string text = fmt::format("{}\n\n", host_line());
  for (const BenchTarget& target : session.targets) {
    text += fmt::format("- {}\n", describe_target(target));
  }
  text += "\n" + session_table(session, session.targets.size() > 1, 0).markdown();
  if (!comparisons.empty()) text += "\n" + comparison_table(session, comparisons).markdown();
  return text;
}

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options) {
  command.add_option("--csv", options.csv_path, "Write the result here as CSV (-: stdout)");
  command.add_option("--markdown", options.markdown_path,
                     "Write the tables here as Markdown (-: stdout)");
}

TextTable raw_table(const Session& session) {
  TextTable table({{"target"},       {"test"},          {"op"},           {"bytes"},
                   {"elapsed_ns"},   {"mb_per_s"},      {"mb_per_s_min"}, {"mb_per_s_max"},
                   {"mb_per_s_mad"}, {"iops"},          {"p50_ns"},       {"p90_ns"},
                   {"p99_ns"},       {"p999_ns"},       {"p9999_ns"},     {"max_ns"},
                   {"cpu_ns"},       {"daemon_cpu_ns"}, {"runs"},         {"problem"}});
  for (const TestRow& row : session.rows) {
    std::vector<std::string> cells = {session.targets[row.target].path, row.test.workload.name,
                                      op_name(row.test.op)};
    const RowSummary summary = summarise(row.runs);
    const auto add = [&](const auto& value) { cells.push_back(fmt::format("{}", value)); };
    const auto rate = [&](double value) { cells.push_back(fmt::format("{:.6f}", value)); };
    add(summary.bytes);
    add(summary.elapsed_ns);
    rate(summary.mb_per_s);
    rate(summary.spread.min);
    rate(summary.spread.max);
    rate(summary.spread.mad);
    rate(summary.iops);
    for (const double fraction : {0.5, 0.9, 0.99, 0.999, 0.9999}) {
      add(summary.latency->percentile_ns(fraction));
    }
    add(summary.latency->max_ns());
    add(summary.cpu_ns);
    add(summary.daemon_cpu_ns);
    add(row.runs.size());
    cells.push_back(row.left_out);
    table.add_row(std::move(cells));
  }
  return table;
}

void write_text(const std::string& text, const std::string& path) {
  if (path == "-") {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
    return;
  }
  std::ofstream file(path, std::ios::trunc | std::ios::binary);
  file << text;
  file.close();
  if (!file) throw BenchFailure(path, "cannot be written", exit_wrong_device);
}

void emit_session(const Session& session, const std::vector<Comparison>& comparisons,
                  const BenchOptions& options, const OutputOptions& output,
                  const std::string& command) {
  std::FILE* out = standard_output_taken(options, output) ? stderr : stdout;
  print_session(session, options, out);
  if (!comparisons.empty()) {
    const std::size_t terminal = terminal_width(out);
    fmt::print(
        out, "\nBaseline {} (ratio: target over baseline, of paired rounds)\n{}",
        session.targets[0].path,
        comparison_table(session, comparisons).text(terminal == 0 ? default_width : terminal));
  }
  std::fflush(out);
  if (!options.json_path.empty()) {
    auto document = session_json(session, options, command);
    if (!comparisons.empty()) {
      document["baseline"] = session.targets[0].path;
      document["comparisons"] = comparisons_json(session, comparisons);
    }
    write_json(document, options.json_path);
  }
  if (!output.csv_path.empty()) write_text(raw_table(session).csv(), output.csv_path);
  if (!output.markdown_path.empty()) {
    write_text(markdown_of(session, comparisons), output.markdown_path);
  }
}

}  // namespace volt
