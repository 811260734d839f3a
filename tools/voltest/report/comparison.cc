#include "tools/voltest/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/voltest/report/report_text.h"
#include "tools/voltest/report/result.h"

namespace volt {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

const StorageFacts& real_storage(const BenchTarget& target) {
  return target.daemon ? target.backing : target.storage;
}

bool kept_out_of_cache(const BenchTarget& target) {
  const bool direct = target.direct == DirectState::honoured;
  return direct && (!target.daemon || target.daemon->container_direct);
}

// Beyond a thousand an interval says only that nothing is known.
std::string ratio_text(double ratio) {
  if (ratio >= 1000) return ">1000";
  return fmt::format("{:.{}f}", ratio, ratio >= 10 ? 1 : 3);
}

Comparison compare_pair(const Session& session, const TestRow& baseline, const TestRow& row,
                        std::uint64_t seed) {
  Comparison comparison;
  comparison.test = row.test;
  comparison.target = row.target;
  std::vector<double> base_rates = run_rates(baseline);
  std::vector<double> rates = run_rates(row);
  comparison.rounds = std::min(base_rates.size(), rates.size());
  if (comparison.rounds == 0) return comparison;
  base_rates.resize(comparison.rounds);
  rates.resize(comparison.rounds);
  comparison.baseline_mb_per_s = median_of(base_rates);
  comparison.target_mb_per_s = median_of(rates);
  comparison.ratio = bootstrap_ratio(base_rates, rates, seed);
  if (!comparison.ratio.difference) {
    comparison.verdict = Verdict::no_difference;
  } else if (comparison.ratio.ratio < 1) {
    comparison.verdict = Verdict::slower;
  } else {
    comparison.verdict = Verdict::faster;
    comparison.cause = likely_cause(session.targets[0], session.targets[row.target], row.test.op);
  }
  return comparison;
}

}  // namespace

const char* verdict_name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::no_difference:
      return "no difference seen";
    case Verdict::slower:
      return "slower";
    case Verdict::faster:
      return "faster than its baseline";
    case Verdict::not_measured:
      return "not measured";
  }
  return "not measured";
}

std::string likely_cause(const BenchTarget& baseline, const BenchTarget& target, BenchOp op) {
  const StorageFacts& base = real_storage(baseline);
  const StorageFacts& other = real_storage(target);
  if (base.in_memory != other.in_memory) {
    return "one of them lies in memory and the other on a disk";
  }
  if (base.device != other.device) {
    return fmt::format("they lie on different devices ({} and {})", base.device, other.device);
  }
  if (!other.in_memory && !kept_out_of_cache(target)) {
    return op == BenchOp::read ? "the page cache answers reads of this target"
                               : "the page cache gathers writes to this target";
  }
  if (baseline.daemon.has_value() != target.daemon.has_value()) {
    return "the requests reach the disk by different paths, in other sizes or another order";
  }
  if (baseline.range_bytes != target.range_bytes) {
    return "different amounts of data are measured";
  }
  return "a cache below this program, another place on the disk, or a disturbance of the baseline;"
         " repeat with more --loops";
}

std::vector<Comparison> compare_session(const Session& session, std::uint64_t seed) {
  std::vector<Comparison> comparisons;
  const std::size_t targets = session.targets.size();
  for (std::size_t first = 0; first + targets <= session.rows.size(); first += targets) {
    for (std::size_t i = 1; i < targets; ++i) {
      comparisons.push_back(
          compare_pair(session, session.rows[first], session.rows[first + i], seed));
    }
  }
  return comparisons;
}

TextTable comparison_table(const Session& session, const std::vector<Comparison>& comparisons) {
  TextTable table({{"test", true, 0},
                   {"op", true, 0},
                   {"target", true, 0},
                   {"baseline", false, 1},
                   {"MB/s", false, 0},
                   {"ratio", false, 0},
                   {"95 % interval", false, 0},
                   {"verdict", true, 0}});
  for (const Comparison& row : comparisons) {
    std::vector<std::string> cells = {row.test.workload.name, op_name(row.test.op),
                                      session.targets[row.target].path};
    if (row.verdict == Verdict::not_measured) {
      cells.insert(cells.end(), {"-", "-", "-", "-", verdict_name(row.verdict)});
    } else {
      std::string verdict = verdict_name(row.verdict);
      if (!row.cause.empty()) verdict = "faster, but no gain";
      if (row.rounds == 1) verdict = "one round tells nothing: use --loops";
      cells.insert(
          cells.end(),
          {figure(row.baseline_mb_per_s), figure(row.target_mb_per_s), ratio_text(row.ratio.ratio),
           ratio_text(row.ratio.low) + " .. " + ratio_text(row.ratio.high), verdict});
    }
    table.add_row(std::move(cells));
  }
  return table;
}

std::vector<std::string> comparison_notes(const Session& session,
                                          const std::vector<Comparison>& comparisons) {
  std::vector<std::string> causes;
  std::vector<std::string> notes;
  for (const Comparison& row : comparisons) {
    if (row.cause.empty() || row.rounds == 1) continue;
    const std::string where = fmt::format("{} {} {}", session.targets[row.target].path,
                                          row.test.workload.name, op_name(row.test.op));
    const auto known = std::find(causes.begin(), causes.end(), row.cause);
    if (known != causes.end()) {
      notes[static_cast<std::size_t>(known - causes.begin())] += ", " + where;
      continue;
    }
    causes.push_back(row.cause);
    notes.push_back(
        fmt::format("faster than its baseline, which is no gain: {}: {}", row.cause, where));
  }
  return notes;
}

Json comparisons_json(const Session& session, const std::vector<Comparison>& comparisons) {
  Json rows = Json::array();
  for (const Comparison& row : comparisons) {
    Json json;
    json["test"] = row.test.workload.name;
    json["op"] = op_name(row.test.op);
    json["baseline"] = session.targets[0].path;
    json["target"] = session.targets[row.target].path;
    json["target_index"] = row.target;
    json["rounds"] = row.rounds;
    json["baseline_mb_per_s"] = rounded(row.baseline_mb_per_s);
    json["target_mb_per_s"] = rounded(row.target_mb_per_s);
    const bool measured = row.verdict != Verdict::not_measured;
    json["ratio"] = measured ? Json(rounded(row.ratio.ratio)) : Json(nullptr);
    json["interval_95"] =
        measured ? Json::array({rounded(row.ratio.low), rounded(row.ratio.high)}) : Json(nullptr);
    json["difference"] = measured && row.ratio.difference;
    json["verdict"] = verdict_name(row.verdict);
    json["cause"] = row.cause.empty() ? Json(nullptr) : Json(row.cause);
    rows.push_back(json);
  }
  return rows;
}

}  // namespace volt
