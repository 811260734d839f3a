#include "blockdev/stack/volume_status.h"

#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

#include "blockdev/stack/facts_json.h"

namespace volt {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "voltd/1";

// Calls visit(name, field) for every field of the object that is a plain value: the one list of
// their names, for writing and for reading.
template <class Status, class Visit>
void each_field(Status& status, const Visit& visit) {
  visit("version", status.version);
  visit("pid", status.pid);
  visit("container", status.container);
  visit("mount_point", status.mount_point);
  visit("protects_hidden", status.protects_hidden);
  visit("plain", status.plain);
  visit("size_bytes", status.size_bytes);
  visit("sector_bytes", status.sector_bytes);
  visit("read_only", status.read_only);
  visit("discard", status.discard);
  visit("direct_io", status.direct_io);
  visit("page_cache", status.page_cache);
  visit("memory_locked", status.memory_locked);
  visit("io_engine", status.io_engine);
  visit("threads", status.threads);
  visit("protocol", status.protocol);
  visit("container_state", status.container_state);
  visit("uptime_ns", status.uptime_ns);
  visit("cpu_ns", status.cpu_ns);
  visit("writes_held", status.writes_held);
  visit("unflushed", status.unflushed);
  visit("refused_writes", status.refused_writes);
  visit("last_error", status.last_error);
}

template <class Latency, class Visit>
void each_latency(Latency& latency, const Visit& visit) {
  visit("p50", latency.p50_ns);
  visit("p90", latency.p90_ns);
  visit("p99", latency.p99_ns);
  visit("p999", latency.p999_ns);
  visit("max", latency.max_ns);
}

template <class Io, class Visit>
void each_io_field(Io& io, const Visit& visit) {
  visit("requests", io.requests);
  visit("bytes", io.bytes);
  visit("errors", io.errors);
}

template <class File, class Visit>
void each_file_field(File& file, const Visit& visit) {
  visit("path", file.path);
  visit("state", file.state);
  visit("now", file.now);
}

// An empty text is one that is not known.
class Writer {
 public:
  explicit Writer(Json* object) : object_(object) {}
  template <class Value>
  void operator()(const char* name, const Value& value) const {
    if constexpr (std::is_same_v<Value, std::string>) {
      (*object_)[name] = value.empty() ? Json(nullptr) : Json(value);
    } else {
      (*object_)[name] = value;
    }
  }

 private:
  Json* object_;
};

class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {}
  template <class Value>
  void operator()(const char* name, Value& value) const {
    const auto found = object_.find(name);
    if (found == object_.end()) return;
    if constexpr (std::is_same_v<Value, std::string>) {
      if (found->is_string()) value = found->template get<std::string>();
    } else if constexpr (std::is_same_v<Value, bool>) {
      if (found->is_boolean()) value = found->template get<bool>();
    } else {
      if (found->is_number_integer()) value = found->template get<Value>();
    }
  }

 private:
  const Json& object_;
};

Json io_json(const std::vector<IoStatus>& all) {
  Json json = Json::object();
  for (const IoStatus& io : all) {
    Json& row = json[io.kind] = Json::object();
    each_io_field(io, Writer(&row));
    row["latency_ns"] = Json::object();
    each_latency(io.latency, Writer(&row["latency_ns"]));
  }
  return json;
}

// Everything that is not the schema's own is the format's.
void read_volume_facts(const Json& json, VolumeStatus* status) {
  const Json own = Json::parse(status_json_of({}));
  for (const auto& [name, value] : json.items()) {
    if (own.contains(name)) continue;
    if (value.is_string()) status->volume.push_back(field(name, value.get<std::string>()));
    if (value.is_boolean()) status->volume.push_back(field(name, value.get<bool>()));
    if (value.is_number_unsigned()) {
      status->volume.push_back(field(name, value.get<std::uint64_t>()));
    }
  }
}

const Fact* find_fact(const std::vector<Fact>& facts, std::string_view name) noexcept {
  for (const Fact& fact : facts) {
    if (fact.name == name) return &fact;
  }
  return nullptr;
}

void read_lists(const Json& json, VolumeStatus* status) {
  if (json.contains("container_files") && json["container_files"].is_array()) {
    for (const Json& row : json["container_files"]) {
      if (!row.is_object()) continue;
      FileStatus file;
      each_file_field(file, Reader(row));
      status->container_files.push_back(std::move(file));
    }
  }
  if (json.contains("io") && json["io"].is_object()) {
    for (const auto& [kind, row] : json["io"].items()) {
      if (!row.is_object()) continue;
      IoStatus io;
      io.kind = kind;
      each_io_field(io, Reader(row));
      if (row.contains("latency_ns") && row["latency_ns"].is_object()) {
        each_latency(io.latency, Reader(row["latency_ns"]));
      }
      status->io.push_back(std::move(io));
    }
  }
}

}  // namespace

std::string VolumeStatus::volume_text(std::string_view name) const {
  const Fact* fact = find_fact(volume, name);
  const auto* text = fact == nullptr ? nullptr : std::get_if<std::string>(&fact->value);
  return text == nullptr ? "" : *text;
}

bool VolumeStatus::volume_flag(std::string_view name) const {
  const Fact* fact = find_fact(volume, name);
  const auto* flag = fact == nullptr ? nullptr : std::get_if<bool>(&fact->value);
  return flag != nullptr && *flag;
}

const IoStatus* VolumeStatus::io_of(std::string_view kind) const noexcept {
  for (const IoStatus& row : io) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

std::vector<Fact> plain_volume_facts() {
  constexpr auto both = FactPlace::both;
  std::vector<Fact> facts = {field("format", std::string("plain"), both)};
  for (const char* name : {"cipher", "mode", "prf", "kernel", "header_place"}) {
    facts.push_back(field(name, nullptr, both));
  }
  for (const char* name : {"pim", "data_offset_bytes"}) {
    facts.push_back(field(name, std::uint64_t{0}, both));
  }
  facts.push_back(field("hidden", false, both));
  return facts;
}

std::string status_json_of(const VolumeStatus& status) {
  Json json;
  json["schema"] = schema;
  add_facts(status.volume, FactPlace::status, &json);
  each_field(status, Writer(&json));
  Json files = Json::array();
  for (const FileStatus& file : status.container_files) {
    Json row = Json::object();
    each_file_field(file, Writer(&row));
    files.push_back(std::move(row));
  }
  json["container_files"] = std::move(files);
  json["io"] = io_json(status.io);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<VolumeStatus> parse_status_json(std::string_view text) {
  const Json json = parse_outside_json(text);
  if (!json.is_object() || !json.contains("schema") || json["schema"] != schema) {
    return std::nullopt;
  }
  VolumeStatus status;
  each_field(status, Reader(json));
  read_lists(json, &status);
  read_volume_facts(json, &status);
  return status;
}

}  // namespace volt
