// The table of the RAID comparison: measured rows beside published ones.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/voltest/measure/matrix_stand.h"
#include "tools/voltest/measure/session.h"
#include "tools/voltest/report/comparison.h"
#include "tools/voltest/report/text_table.h"

namespace volt {

// What was measured at one fill level.
struct MatrixLevel {
  double fill_percent = 0;
  std::vector<StandMount> systems;  // the session's targets, the plain one first
  Session session;
  std::vector<Comparison> comparisons;
};

struct CipherSpeed {
  std::string name;
  double mean_mb_per_s = 0;  // in memory, all cores
};

// Rows: each system at each fill level, then the published ones; columns: sequential and random,
// read and write, with the share of the plain system's figure at that level, and what the cipher
// alone reaches in memory.
TextTable matrix_table(const std::vector<MatrixLevel>& levels,
                       const std::vector<CipherSpeed>& speeds);
TextTable published_raid_table();

// For each cipher whose speed in memory is well above what was measured: that the disk is the limit
// there; else that the cipher and the daemon are. One line each.
std::vector<std::string> limits_seen(const std::vector<MatrixLevel>& levels,
                                     const std::vector<CipherSpeed>& speeds);

// As raw_table of bench_output.h, with "fill_percent" first; and the table with what a reader must
// know.
std::string matrix_csv(const std::vector<MatrixLevel>& levels);
std::string matrix_markdown(const std::vector<MatrixLevel>& levels,
                            const std::vector<CipherSpeed>& speeds);

// "results" and "comparisons" of all levels, each row with "system" and "fill_percent".
nlohmann::ordered_json matrix_json(const std::vector<MatrixLevel>& levels,
                                   const std::vector<CipherSpeed>& speeds,
                                   const BenchOptions& options);

}  // namespace volt
