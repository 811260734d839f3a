// status.json of an open volume: one schema, which the daemon writes and the tools read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blockdev/formats/fact.h"

namespace volt {

struct LatencyStatus {
  std::uint64_t p50_ns = 0;
  std::uint64_t p90_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t p999_ns = 0;
  std::uint64_t max_ns = 0;
};
struct IoStatus {
  std::string kind;  // "read", "write", "flush", "discard"
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  std::uint64_t errors = 0;
  LatencyStatus latency;
};
struct FileStatus {
  std::string path;
  std::string state;  // "present", "renamed", "deleted" ...
  std::string now;    // where it is now; empty: not known
};

// Schema "voltd/1", field by field as docs/reference/voltd.md tells.
struct VolumeStatus {
  std::string version;
  std::int64_t pid = 0;
  std::string container;
  std::string mount_point;
  std::vector<Fact> volume;  // what its format tells; fields of the object itself
  bool protects_hidden = false;
  bool plain = false;
  std::uint64_t size_bytes = 0;
  std::uint64_t sector_bytes = 512;
  bool read_only = false;
  bool discard = false;
  bool direct_io = false;  // on the container
  bool page_cache = false;
  bool memory_locked = false;
  std::string io_engine;
  std::uint64_t threads = 0;
  std::string protocol;
  std::string container_state;
  std::vector<FileStatus> container_files;
  std::int64_t uptime_ns = 0;
  std::int64_t cpu_ns = 0;
  bool writes_held = false;
  bool unflushed = false;
  std::vector<IoStatus> io;
  std::uint64_t refused_writes = 0;
  std::string last_error;  // empty: none

  // A text or flag that the format tells: "cipher", "hidden". Empty or false where it does not.
  std::string volume_text(std::string_view name) const;
  bool volume_flag(std::string_view name) const;
  const IoStatus* io_of(std::string_view kind) const noexcept;  // null: none such
};

// What a volume without encryption tells in a format's place.
std::vector<Fact> plain_volume_facts();

// One JSON object, with a newline. File names are bytes, not always UTF-8: what is not is replaced.
// Throws std::bad_alloc only.
std::string status_json_of(const VolumeStatus& status);

// The inverse. None where it is not a whole object of this schema; a field that is missing or of
// another type has its default, so that other versions' are read as far as they go.
std::optional<VolumeStatus> parse_status_json(std::string_view text);

}  // namespace volt
