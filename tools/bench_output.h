// Where a session's results go besides the terminal.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "blockdev/host/command_line.h"
#include "tools/bench_comparison.h"
#include "tools/bench_session.h"
#include "tools/text_table.h"

namespace volt {

struct OutputOptions {
  std::string json_path;  // "-": standard output; "": none
  std::string csv_path;
  std::string markdown_path;
};

// --json, --csv and --markdown.
void add_output_options(Command& command, OutputOptions& options);

// Before anything is measured: throws BenchFailure where two want standard output, or a file cannot
// be written.
void check_outputs(const OutputOptions& options);

// Where text for people goes: standard error where something else has standard output.
std::FILE* text_stream(const OutputOptions& options) noexcept;

// What was measured, in every form that was asked for. Throws BenchFailure.
void write_outputs(const nlohmann::ordered_json& document, const std::string& csv,
                   const std::string& markdown, const OutputOptions& options);

// Prints the session for people, with comparisons where there are any, and writes the outputs.
// Throws BenchFailure where a file cannot be written.
void emit_session(const Session& session, const std::vector<Comparison>& comparisons,
                  const BenchOptions& options, const OutputOptions& output,
                  const std::string& command);

// One line a row, numbers without units, units in the titles.
TextTable raw_table(const Session& session);

// Its parts, for tables that have more columns before these: `first` holds their cells.
std::vector<TableColumn> raw_columns();
void add_raw_rows(const Session& session, const std::vector<std::string>& first, TextTable* table);

// "-": standard output. Both throw BenchFailure.
void write_json(const nlohmann::ordered_json& document, const std::string& path);
void write_text(const std::string& text, const std::string& path);

}  // namespace volt
