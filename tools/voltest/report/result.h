// From runs to the figures that are told, and to JSON (schema voltest/1).
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "tools/voltest/measure/session.h"
#include "tools/voltest/measure/stats.h"

namespace volt {

// The median run (for an even number of runs, the two middle ones taken together): rate, latency
// and processor time are of the same run, never the best of one beside the best of another.
struct RowSummary {
  std::uint64_t bytes = 0;
  std::uint64_t requests = 0;
  std::uint64_t elapsed_ns = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t daemon_cpu_ns = 0;
  double mb_per_s = 0;  // bytes / elapsed_ns in 10^6 bytes a second
  double iops = 0;
  Spread spread;  // of the runs' MB/s
  std::shared_ptr<LatencyHistogram> latency;
};
RowSummary summarise(std::span<const RunResult> runs);

// MB/s of each run, in order of rounds.
std::vector<double> run_rates(const TestRow& row);

nlohmann::ordered_json latency_json(const LatencyHistogram& latency);
nlohmann::ordered_json target_json(const BenchTarget& target);
nlohmann::ordered_json row_json(const Session& session, const TestRow& row);
nlohmann::ordered_json settings_json(const Session& session, const BenchOptions& options);

// The whole document of one or more targets: schema, host, target (the first), targets where there
// are several, settings, results, notes, interrupted.
nlohmann::ordered_json session_json(const Session& session, const BenchOptions& options,
                                    const std::string& command);

}  // namespace volt
