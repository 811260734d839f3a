#include "blockdev/disk_profile.h"

#include <algorithm>

#include "crypto/same_name.h"

namespace volt {

namespace {

constexpr std::uint64_t us = 1000;
constexpr std::uint64_t mib = 1048576;

// hdd-5400: a 4 TB drive of 5400 rpm with 64 MB of cache, after WD40EZRZ.
//   from its data sheet: capacity, speed of rotation (11.1 ms), size of the cache, command queue
//   fitted to the published figures of two of them as RAID 0:
//     outer rate, write slowdown   sequential read and write, 0 % full
//     zones                        sequential read, 54 % full; half the rate at the innermost
//     settle, command              random 4K read, one at a time (with half the reads found in
//                                  the cache, as for a test file of 256 MiB on the pair; the
//                                  article does not tell its size)
//     shortest_every                 random 4K read, 32 at a time
//     seek                         average seek of its class, 12 ms at a third of the disk
constexpr DiskProfile profiles[] = {
    {
        .name = "hdd-5400",
        .capacity_bytes = 4000787030016,
        .revolution_ns = 11111111,
        .outer_bytes_per_second = 184.5e6,
        .zone_linear = 0.339,
        .zone_quadratic = 0.161,
        .settle_ns = 1100 * us,
        .seek_ns_per_root_track = 13300,
        .command_ns = 150 * us,
        .write_slowdown = 1.06,
        .queue_depth = 32,
        .shortest_every = 4,
        .read_cache_bytes = 64 * mib,
        .write_cache_bytes = 4 * mib,
        .interface_bytes_per_second = 500e6,
        .interface_command_ns = 60 * us,
    },
};

}  // namespace

std::span<const DiskProfile> all_disk_profiles() noexcept {
  return profiles;
}

const DiskProfile* find_disk_profile(std::string_view name) noexcept {
  for (const DiskProfile& profile : profiles) {
    if (same_name(name, profile.name)) return &profile;
  }
  return nullptr;
}

double media_rate(const DiskProfile& profile, std::uint64_t offset) noexcept {
  const double x = std::clamp(
      static_cast<double>(offset) / static_cast<double>(profile.capacity_bytes), 0.0, 1.0);
  return profile.outer_bytes_per_second *
         (1 - profile.zone_linear * x - profile.zone_quadratic * x * x);
}

}  // namespace volt
