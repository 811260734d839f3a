// The open volume and what is told about it.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "blockdev/device/block_device.h"
#include "blockdev/formats/fact.h"
#include "blockdev/layers/stats_device.h"
#include "daemon/serve/container_watch.h"
#include "daemon/serve/serving.h"

namespace volt {

// Facts that do not change while the volume is open; shown in status.json.
struct VolumeFacts {
  std::string container;     // canonical path, or the spec of a stripe
  std::string mount_point;   // canonical path
  std::vector<Fact> volume;  // what its format tells
  bool plain = false;
  bool protects_hidden = false;
  bool read_only_after_violation = false;
  bool read_only = false;
  bool discard = false;
  bool container_direct_io = false;
  bool page_cache = false;
  mode_t for_others = 0;  // permissions beside the owner's, as far as a file has them: of 077
  std::uint32_t sector_bytes = 512;
  // Known once it is served:
  bool memory_locked = false;
  unsigned at_once = 0;        // requests that can be served at once
  const char* io_engine = "";  // "threads" or "io_uring"
  unsigned protocol_minor = 0;
  std::uint64_t mount_id = 0;  // 0: not known
};

// Thread contract: the device and its counters as BlockDevice; facts change only before the threads
// start; the rest is atomic.
struct ServedVolume {
  VolumeFacts facts;
  DevicePtr device;
  StatsDevice* stats = nullptr;           // the device itself, as its own type
  BlockDevice* container = nullptr;       // the encrypted bytes, part of `device`
  std::vector<NamedFile> files;           // of the container, until they are watched
  std::unique_ptr<ContainerWatch> watch;  // null until it is served
  // What gets its times back in the end, by descriptors that `device` owns.
  std::vector<std::pair<int, std::array<struct timespec, 2>>> times_to_keep;
  Serving serving;                // how it is to be served
  std::int64_t opened_at_ns = 0;  // CLOCK_MONOTONIC
  std::atomic<std::int64_t> modified_at_s{0};
  std::atomic<bool> unflushed{false};  // written since the last flush began
  std::atomic<int> flushing{0};        // flushes under way
  // Writes are refused, and nothing that a loop device could offer and the volume has not is told,
  // until the one who opens the volume has finished setting up what lies above it, and says so by
  // SIGUSR2.
  std::atomic<bool> writes_held{false};
  // The container is being copied (`volt close --save-as`): writes are refused while it is open for
  // that, and for a while after, so that none comes between the copy and the end.
  std::atomic<int> copies{0};
  std::atomic<std::int64_t> copied_until_s{0};  // CLOCK_MONOTONIC; 0: not copied

  std::uint64_t size() const noexcept { return device->size(); }
  void note_write() noexcept;
  Status flush() noexcept;
  void begin_copy() noexcept { copies.fetch_add(1); }
  void end_copy() noexcept;
  void accept_writes() noexcept;  // ends what holds them
  bool holds_writes() const noexcept;
  // Something may not be on stable storage yet. (In this order: a flush that begins clears the one
  // only after it has raised the other.)
  bool flush_due() const noexcept { return unflushed.load() || flushing.load() != 0; }
};

}  // namespace volt
