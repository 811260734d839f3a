#include "tools/voltest/report/result.h"

#include <cmath>

#include "tools/voltest/measure/host.h"

namespace volt {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value, double steps) {
  return std::round(value * steps) / steps;
}

double mb_per_s(std::uint64_t bytes, std::uint64_t elapsed_ns) {
  if (elapsed_ns == 0) return 0;
  return static_cast<double>(bytes) * 1e3 / static_cast<double>(elapsed_ns);
}

Json run_json(const RunResult& run) {
  Json json;
  json["bytes"] = run.bytes;
  json["elapsed_ns"] = run.elapsed_ns;
  json["mb_per_s"] = rounded(mb_per_s(run.bytes, run.elapsed_ns), 1e6);
  json["iops"] = rounded(run.requests_per_second(), 1e3);
  json["requests"] = run.requests;
  json["read_bytes"] = run.read_bytes;
  json["flush_ns"] = run.flush_ns;
  json["latency_ns"] = latency_json(*run.latency);
  json["cpu_ns"] = run.cpu_ns;
  json["daemon_cpu_ns"] = run.daemon_cpu_ns;
  if (run.interrupted) json["interrupted"] = true;
  return json;
}

Json storage_json(const StorageFacts& facts) {
  Json json;
  json["file_system"] = facts.file_system;
  json["mount_point"] = facts.mount_point;
  json["mount_options"] = facts.mount_options;
  json["device"] = facts.device;
  json["device_model"] = facts.device_model;
  json["rotational"] = facts.rotational < 0 ? Json(nullptr) : Json(facts.rotational == 1);
  return json;
}

}  // namespace

RowSummary summarise(std::span<const RunResult> runs) {
  RowSummary summary;
  summary.latency = std::make_shared<LatencyHistogram>();
  std::vector<double> rates;
  for (const RunResult& run : runs) rates.push_back(mb_per_s(run.bytes, run.elapsed_ns));
  for (const std::size_t index : middle_indices(rates)) {
    const RunResult& run = runs[index];
    summary.bytes += run.bytes;
    summary.requests += run.requests;
    summary.elapsed_ns += run.elapsed_ns;
    summary.cpu_ns += run.cpu_ns;
    summary.daemon_cpu_ns += run.daemon_cpu_ns;
    summary.latency->merge_from(*run.latency);
  }
  summary.mb_per_s = mb_per_s(summary.bytes, summary.elapsed_ns);
  if (summary.elapsed_ns != 0) {
    summary.iops =
        static_cast<double>(summary.requests) * 1e9 / static_cast<double>(summary.elapsed_ns);
  }
  summary.spread = spread_of(rates);
  return summary;
}

std::vector<double> run_rates(const TestRow& row) {
  std::vector<double> rates;
  for (const RunResult& run : row.runs) rates.push_back(mb_per_s(run.bytes, run.elapsed_ns));
  return rates;
}

Json latency_json(const LatencyHistogram& latency) {
  Json json;
  json["p50"] = latency.percentile_ns(0.5);
  json["p90"] = latency.percentile_ns(0.9);
  json["p99"] = latency.percentile_ns(0.99);
  json["p999"] = latency.percentile_ns(0.999);
  json["p9999"] = latency.percentile_ns(0.9999);
  json["max"] = latency.max_ns();
  return json;
}

Json target_json(const BenchTarget& target) {
  Json json;
  json["path"] = target.path;
  json["kind"] = target_kind_name(target.kind);
  json["io_path"] = target.io_path;
  json["size_bytes"] = target.size_bytes;
  json["range_offset"] = target.range_offset;
  json["range_bytes"] = target.range_bytes;
  json["direct"] = target.direct == DirectState::honoured ||
                   target.direct == DirectState::unknown ||
                   target.direct == DirectState::not_checked;
  json["direct_state"] = direct_state_name(target.direct);
  json["writable"] = target.writable;
  json["storage"] = storage_json(target.storage);
  if (target.daemon) {
    const DaemonFacts& daemon = *target.daemon;
    json["cipher"] = daemon.plain ? Json(nullptr) : Json(daemon.cipher);
    json["kernel"] = daemon.plain ? Json(nullptr) : Json(daemon.kernel);
    json["plain"] = daemon.plain;
    json["container"] = daemon.container;
    json["container_direct"] = daemon.container_direct;
    json["backing"] = storage_json(target.backing);
  }
  json["notes"] = target.notes;
  return json;
}

Json row_json(const Session& session, const TestRow& row) {
  const RowSummary summary = summarise(row.runs);
  Json json;
  json["test"] = row.test.workload.name;
  json["op"] = op_name(row.test.op);
  json["target"] = session.targets[row.target].path;
  json["target_index"] = row.target;
  json["block_bytes"] = row.test.workload.block_bytes;
  json["depth"] = row.test.workload.depth;
  json["threads"] = row.test.workload.threads;
  json["bytes"] = summary.bytes;
  json["requests"] = summary.requests;
  json["elapsed_ns"] = summary.elapsed_ns;
  json["mb_per_s"] = rounded(summary.mb_per_s, 1e6);
  json["iops"] = rounded(summary.iops, 1e3);
  json["latency_ns"] = latency_json(*summary.latency);
  json["cpu_ns"] = summary.cpu_ns;
  json["daemon_cpu_ns"] = summary.daemon_cpu_ns;
  json["spread_mb_per_s"] = {{"median", rounded(summary.spread.median, 1e6)},
                             {"min", rounded(summary.spread.min, 1e6)},
                             {"max", rounded(summary.spread.max, 1e6)},
                             {"mad", rounded(summary.spread.mad, 1e6)}};
  if (row.partial) json["partial"] = true;
  if (session.interrupted) json["interrupted"] = true;
  if (!row.left_out.empty()) json["problem"] = row.left_out;
  json["runs"] = Json::array();
  for (const RunResult& run : row.runs) json["runs"].push_back(run_json(run));
  return json;
}

Json settings_json(const Session& session, const BenchOptions& options) {
  Json json;
  json["size_bytes"] = options.target.size_bytes;
  json["runtime_ns"] = options.runtime_ns;
  json["loops"] = options.loops;
  json["seed"] = options.seed;
  json["engine"] = engine_name(session.engine);
  json["direct_asked"] = options.target.direct;
  json["destructive"] = options.target.destructive;
  json["read_only"] = options.target.read_only;
  json["latency_error"] = 1.0 / (1U << LatencyHistogram::step_bits);
  return json;
}

Json session_json(const Session& session, const BenchOptions& options, const std::string& command) {
  Json json;
  json["schema"] = "voltest/1";
  json["command"] = command;
  json["interrupted"] = session.interrupted;
  json["host"] = host_json(true);
  json["target"] = session.targets.empty() ? Json::object() : target_json(session.targets[0]);
  if (session.targets.size() > 1) {
    json["targets"] = Json::array();
    for (const BenchTarget& target : session.targets) {
      json["targets"].push_back(target_json(target));
    }
  }
  json["settings"] = settings_json(session, options);
  json["results"] = Json::array();
  Json omitted = Json::array();
  for (const TestRow& row : session.rows) {
    if (row.runs.empty()) {
      omitted.push_back({{"test", row.test.workload.name},
                         {"op", op_name(row.test.op)},
                         {"target", session.targets[row.target].path},
                         {"why", row.left_out.empty() ? "interrupted" : row.left_out}});
    } else {
      json["results"].push_back(row_json(session, row));
    }
  }
  json["left_out"] = omitted;
  json["notes"] = session.notes;
  return json;
}

}  // namespace volt
