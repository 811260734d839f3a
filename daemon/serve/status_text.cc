#include "daemon/serve/status_text.h"

#include <unistd.h>

#include <chrono>
#include <ctime>

#include "blockdev/host/error_text.h"
#include "blockdev/stack/volume_status.h"

namespace volt {
namespace {

std::int64_t clock_ns(clockid_t clock) noexcept {
  struct timespec now {};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

IoStatus io_status(IoKind kind, const IoCounters& counters) {
  const LatencyHistogram& latency = counters.latency;
  return {io_kind_name(kind),
          counters.requests.load(std::memory_order_relaxed),
          counters.bytes.load(std::memory_order_relaxed),
          counters.errors.load(std::memory_order_relaxed),
          {latency.percentile_ns(0.5), latency.percentile_ns(0.9), latency.percentile_ns(0.99),
           latency.percentile_ns(0.999), latency.max_ns()}};
}

void tell_facts(const ServedVolume& volume, VolumeStatus* status) {
  const VolumeFacts& facts = volume.facts;
  status->version = VOLT_VERSION;
  status->pid = ::getpid();
  status->container = facts.container;
  status->mount_point = facts.mount_point;
  status->volume = facts.volume;
  status->protects_hidden = facts.protects_hidden;
  status->plain = facts.plain;
  status->size_bytes = volume.size();
  status->sector_bytes = facts.sector_bytes;
  status->read_only = facts.read_only;
  status->discard = facts.discard;
  status->direct_io = facts.container_direct_io;
  status->page_cache = facts.page_cache;
  status->memory_locked = facts.memory_locked;
  status->io_engine = facts.io_engine;
  status->threads = facts.at_once;
  status->protocol = "7." + std::to_string(facts.protocol_minor);
}

// Whether the container is still there. A file system that does not answer must not keep this from
// answering.
void tell_files(const ServedVolume& volume, VolumeStatus* status) {
  constexpr auto limit = std::chrono::milliseconds(200);
  const auto files = volume.watch ? volume.watch->look(limit) : std::vector<WatchedFile>();
  status->container_state = file_state_name(worst_state(files));
  for (const WatchedFile& file : files) {
    status->container_files.push_back(
        {file.path, file_state_name(file.standing.state), file.standing.now});
  }
}

VolumeStatus status_of(const ServedVolume& volume) {
  VolumeStatus status;
  tell_facts(volume, &status);
  tell_files(volume, &status);
  status.uptime_ns = clock_ns(CLOCK_MONOTONIC) - volume.opened_at_ns;
  status.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  status.writes_held = volume.holds_writes();
  status.unflushed = volume.unflushed.load(std::memory_order_relaxed);
  for (const IoKind kind : {IoKind::read, IoKind::write, IoKind::flush, IoKind::discard}) {
    status.io.push_back(io_status(kind, volume.stats->counters(kind)));
  }
  status.refused_writes = volume.stats->refused_writes();
  Error last;
  if (volume.stats->last_error(&last)) status.last_error = error_text(last);
  return status;
}

}  // namespace

std::string status_text(const ServedVolume& volume) noexcept {
  try {
    return status_json_of(status_of(volume));
  } catch (...) {  // out of memory
    return {};
  }
}

}  // namespace volt
