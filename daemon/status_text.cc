#include "daemon/status_text.h"

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "blockdev/error_text.h"

namespace volt {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t clock_ns(clockid_t clock) noexcept {
  struct timespec now {};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Json counters_json(const IoCounters& counters) {
  const LatencyHistogram& latency = counters.latency;
  return {{"requests", counters.requests.load(std::memory_order_relaxed)},
          {"bytes", counters.bytes.load(std::memory_order_relaxed)},
          {"errors", counters.errors.load(std::memory_order_relaxed)},
          {"latency_ns",
           {{"p50", latency.percentile_ns(0.5)},
            {"p90", latency.percentile_ns(0.9)},
            {"p99", latency.percentile_ns(0.99)},
            {"p999", latency.percentile_ns(0.999)},
            {"max", latency.max_ns()}}}};
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

void add_facts(const ServedVolume& volume, Json* out) {
  const VolumeFacts& facts = volume.facts;
  Json& json = *out;
  json["container"] = facts.container;
  json["mount_point"] = facts.mount_point;
  json["format"] = facts.format;
  json["cipher"] = text_or_null(facts.cipher);
  json["kernel"] = text_or_null(facts.kernel);
  json["mode"] = text_or_null(facts.mode);
  json["prf"] = text_or_null(facts.prf);
  json["pim"] = facts.pim;
  json["header_place"] = text_or_null(facts.header_place);
  json["hidden"] = facts.hidden;
  json["protects_hidden"] = facts.protects_hidden;
  json["plain"] = facts.plain;
  json["size_bytes"] = volume.size();
  json["data_offset_bytes"] = facts.data_offset_bytes;
  json["sector_bytes"] = facts.sector_bytes;
  json["read_only"] = facts.read_only;
  json["discard"] = facts.discard;
  json["direct_io"] = facts.container_direct_io;
  json["page_cache"] = facts.page_cache;
  json["memory_locked"] = facts.memory_locked;
  json["io_engine"] = facts.io_engine;
  json["threads"] = facts.at_once;
  json["protocol"] = "7." + std::to_string(facts.protocol_minor);
}

// Whether the container is still there. A file system that does not answer must not keep this from
// answering.
void add_files(const ServedVolume& volume, Json* out) {
  constexpr auto limit = std::chrono::milliseconds(200);
  const auto files = volume.watch ? volume.watch->look(limit) : std::vector<WatchedFile>();
  (*out)["container_state"] = file_state_name(worst_state(files));
  Json list = Json::array();
  for (const WatchedFile& file : files) {
    list.push_back({{"path", file.path},
                    {"state", file_state_name(file.standing.state)},
                    {"now", text_or_null(file.standing.now)}});
  }
  (*out)["container_files"] = std::move(list);
}

Json status_json(const ServedVolume& volume) {
  Json json;
  json["schema"] = "voltd/1";
  json["version"] = VOLT_VERSION;
  json["pid"] = ::getpid();
  add_facts(volume, &json);
  add_files(volume, &json);
  json["uptime_ns"] = clock_ns(CLOCK_MONOTONIC) - volume.opened_at_ns;
  json["cpu_ns"] = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  json["writes_held"] = volume.holds_writes();
  json["unflushed"] = volume.unflushed.load(std::memory_order_relaxed);
  Json io = Json::object();
  for (const IoKind kind : {IoKind::read, IoKind::write, IoKind::flush, IoKind::discard}) {
    io[io_kind_name(kind)] = counters_json(volume.stats->counters(kind));
  }
  json["io"] = std::move(io);
  json["refused_writes"] = volume.stats->refused_writes();
  Error last;
  json["last_error"] = volume.stats->last_error(&last) ? Json(error_text(last)) : Json(nullptr);
  return json;
}

}  // namespace

std::string status_text(const ServedVolume& volume) noexcept {
  try {
    // File names are bytes, not always UTF-8; what is not is replaced, never a reason to fail.
    return status_json(volume).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  } catch (...) {  // out of memory
    return {};
  }
}

}  // namespace volt
