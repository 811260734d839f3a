#include "tools/voltest/report/output.h"
#include "blockdev/host/command_line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "blockdev/host/file_descriptor.h"
#include "tools/voltest/measure/failure.h"
#include "tools/voltest/measure/host.h"
#include "tools/voltest/report/report_text.h"
#include "tools/voltest/report/result.h"

namespace volt {
namespace {

// Found out before minutes of measuring, not after them. What is there stays as it is.
void check_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  const bool existed = ::access(path.c_str(), F_OK) == 0;
  const FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666));
  if (!fd) throw BenchFailure(path, error_from_errno("opening it for the result", errno));
  if (!existed) ::unlink(path.c_str());
}

std::string markdown_of(const Session& session, const std::vector<Comparison>& comparisons) {
  std::string text = fmt::format("{}\n\n", host_line());
  for (const BenchTarget& target : session.targets) {
    text += fmt::format("- {}\n", describe_target(target));
  }
  text += '\n';
  text += session_table(session, session.targets.size() > 1, 0).markdown();
  if (!comparisons.empty()) {
    text += '\n';
    text += comparison_table(session, comparisons).markdown();
  }
  std::vector<std::string> notes = comparison_notes(session, comparisons);
  for (std::string& note : session_notes(session)) notes.push_back(std::move(note));
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += fmt::format("- note: {}\n", note);
  return text;
}

}  // namespace

void add_output_options(Command& command, OutputOptions& options) {
  command.add("--json", &options.json_path, "Write the result here as JSON (-: stdout)");
  command.add("--csv", &options.csv_path, "Write the result here as CSV (-: stdout)");
  command.add("--markdown", &options.markdown_path,
              "Write the tables here as Markdown (-: stdout)");
}

void check_outputs(const OutputOptions& options) {
  int takers = 0;
  for (const std::string* path : {&options.json_path, &options.csv_path, &options.markdown_path}) {
    if (*path == "-") ++takers;
    check_writable(*path);
  }
  if (takers > 1) {
    throw BenchFailure("-", "only one of --json, --csv and --markdown can have standard output",
                       exit_wrong_parameters);
  }
}

std::FILE* text_stream(const OutputOptions& options) noexcept {
  const bool taken =
      options.json_path == "-" || options.csv_path == "-" || options.markdown_path == "-";
  return taken ? stderr : stdout;
}

void write_outputs(const nlohmann::ordered_json& document, const std::string& csv,
                   const std::string& markdown, const OutputOptions& options) {
  if (!options.json_path.empty()) write_json(document, options.json_path);
  if (!options.csv_path.empty()) write_text(csv, options.csv_path);
  if (!options.markdown_path.empty()) write_text(markdown, options.markdown_path);
}

std::vector<TableColumn> raw_columns() {
  return {{"target"},       {"test"},          {"op"},           {"bytes"},
          {"elapsed_ns"},   {"mb_per_s"},      {"mb_per_s_min"}, {"mb_per_s_max"},
          {"mb_per_s_mad"}, {"iops"},          {"p50_ns"},       {"p90_ns"},
          {"p99_ns"},       {"p999_ns"},       {"p9999_ns"},     {"max_ns"},
          {"cpu_ns"},       {"daemon_cpu_ns"}, {"runs"},         {"problem"}};
}

void add_raw_rows(const Session& session, const std::vector<std::string>& first, TextTable* table) {
  for (const TestRow& row : session.rows) {
    std::vector<std::string> cells = first;
    cells.insert(cells.end(),
                 {session.targets[row.target].path, row.test.workload.name, op_name(row.test.op)});
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
    cells.push_back(row.left_out.empty() && row.partial ? "partial" : row.left_out);
    table->add_row(std::move(cells));
  }
}

TextTable raw_table(const Session& session) {
  TextTable table(raw_columns());
  add_raw_rows(session, {}, &table);
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

void write_json(const nlohmann::ordered_json& document, const std::string& path) {
  // Paths are bytes, not always UTF-8: what is not is replaced.
  const auto replace = nlohmann::ordered_json::error_handler_t::replace;
  write_text(document.dump(2, ' ', false, replace) + "\n", path);
}

void emit_session(const Session& session, const std::vector<Comparison>& comparisons,
                  const BenchOptions& options, const OutputOptions& output,
                  const std::string& command) {
  std::FILE* out = text_stream(output);
  print_session(session, options, out);
  if (!comparisons.empty()) {
    fmt::print(out, "\n");
    print_sentence(out, fmt::format("Baseline {} (ratio: target over baseline, of paired rounds)",
                                    session.targets[0].path));
    fmt::print(out, "{}", comparison_table(session, comparisons).text(text_width(out)));
    for (const std::string& note : comparison_notes(session, comparisons)) {
      print_sentence(out, "note: " + note);
    }
  }
  std::fflush(out);
  auto document = session_json(session, options, command);
  if (!comparisons.empty()) {
    document["baseline"] = session.targets[0].path;
    document["comparisons"] = comparisons_json(session, comparisons);
  }
  write_outputs(document, raw_table(session).csv(), markdown_of(session, comparisons), output);
}

}  // namespace volt
