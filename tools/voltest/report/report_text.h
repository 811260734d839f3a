// A session as text for people.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "tools/voltest/measure/session.h"
#include "tools/voltest/report/text_table.h"

namespace volt {

// One table a target, with the target's facts above it and the notes below.
void print_session(const Session& session, const BenchOptions& options, std::FILE* out);

// All rows of all targets.
TextTable session_table(const Session& session, bool with_target, std::size_t bar_cells);

// "/mnt/x: voltd, aes (vaes), 512 MiB measured, O_DIRECT honoured".
std::string describe_target(const BenchTarget& target);

// What a reader of the figures must know: of the session, its targets, and tests that did not run
// to their end.
std::vector<std::string> session_notes(const Session& session);
void print_notes(const Session& session, std::FILE* out);

// Three significant digits, and thousands without a fraction.
std::string figure(double value);

}  // namespace volt
