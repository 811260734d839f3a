// Disks as numbers: what the model of a disk is made from.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace volt {

// One row. Sources and what was fitted to which measurement: disk_profile.cc.
struct DiskProfile {
  const char* name;  // "hdd-5400"
  std::uint64_t capacity_bytes;
  // Mechanics.
  std::uint64_t revolution_ns;
  double outer_bytes_per_second;  // at the outermost track, reading
  double zone_linear;             // rate(x) = outer * (1 - linear * x - quadratic * x^2),
  double zone_quadratic;          //   x = position / capacity
  std::uint64_t settle_ns;        // shortest seek, for reading and for writing
  double seek_ns_per_root_track;  // seek = settle + this * sqrt(tracks crossed)
  std::uint64_t command_ns;       // electronics, each command that goes to the platters
  double write_slowdown;          // sequential writing takes this times as long as reading
  // Electronics.
  unsigned queue_depth;     // commands the disk chooses from
  unsigned shortest_every;  // each so-many-th read is the one soonest reached, else the oldest
  std::uint64_t read_cache_bytes;     // what passed under the head, least recent out first
  std::uint64_t write_cache_bytes;    // writes are acknowledged while they fit in here
  double interface_bytes_per_second;  // to and from the caches
  std::uint64_t interface_command_ns;
};

// All rows; find by name (null: none).
std::span<const DiskProfile> all_disk_profiles() noexcept;
const DiskProfile* find_disk_profile(std::string_view name) noexcept;

// Bytes per second of the media at that place of the disk.
double media_rate(const DiskProfile& profile, std::uint64_t offset) noexcept;

}  // namespace volt
