// Where a session's results go besides the terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/bench_comparison.h"
#include "tools/bench_session.h"
#include "tools/text_table.h"

namespace volt {

struct OutputOptions {
  std::string csv_path;  // "-": standard output; "": none
  std::string markdown_path;
};

void add_output_options(CLI::App& command, OutputOptions& options);

// Prints the session for people, with comparisons where there are any, and writes JSON, CSV and
// Markdown where asked. Text for people goes to standard error where any of the others goes to
// standard output. Throws BenchFailure where a file cannot be written, or two want standard output.
void emit_session(const Session& session, const std::vector<Comparison>& comparisons,
                  const BenchOptions& options, const OutputOptions& output,
                  const std::string& command);

// One line a row, numbers without units, units in the titles.
TextTable raw_table(const Session& session);

// "-": standard output. Throws BenchFailure.
void write_text(const std::string& text, const std::string& path);

}  // namespace volt
