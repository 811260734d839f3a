// The only place that composes devices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "blockdev/backing/file_device.h"
#include "blockdev/device/block_device.h"
#include "blockdev/formats/format.h"
#include "crypto/base/result.h"

namespace volt {

class StatsDevice;

// What was opened, beside the device.
struct Container {
  DevicePtr device;        // byte-addressable, whatever the disk demands
  std::string path;        // as given
  bool read_only = false;  // also where the medium or permissions forced it
  bool direct = false;     // bypasses the page cache
  bool locked = false;     // false: not asked for, or the file system has no locks
  bool one_file = false;   // a file or disk, not several, and not a model
  bool in_memory = false;  // no request waits for a disk
  // The files and disks below, in the order of the name. They belong to `device`, and go with it.
  std::vector<const FileDevice*> files;
};

// Opens a regular file or block device. `spec` is
//   PATH
//   stripe:CHUNK:PATH,PATH[,...]             RAID 0, as mdadm --build
//   (blockdev/backing/stripe_device.h);
//                                            CHUNK in bytes, or with K or M: 64K
//   model:DISK[xN][@PERCENT]:PATH-or-stripe  as slow as N disks of that kind (RAID 0, chunk 128K),
//                                            the container lying PERCENT into them
//                                            (blockdev/simulate/disk_profile.h):
//                                            model:hdd-5400x2@54:FILE
//   fault:...                                docs/reference/disk-model.md; this and model: only
//   where
//                                            allow_simulated_disks() was called
// A file whose name looks like one of these is named ./stripe:...
// Falls back to read-only where writing is not permitted (the caller says so).
// Errors: not_found, permission, wrong_file (directory, FIFO, empty file), busy (whom by:
// storage_users.h), io; invalid_argument where `spec` itself is wrong, or names a file twice.
Result<Container> open_container(const std::string& spec, const ContainerOptions& options);

// The container as formats know it.
NamedContainer named_container(BlockDevice& device, const std::string& spec);

struct StackOptions {
  bool read_only = false;
  bool discard = false;
  std::uint64_t protect_from_bytes = 0;  // hidden-volume protection: writes at or past this
  std::uint64_t protect_to_bytes = 0;    //   container offset and before this one are refused
};

// The whole stack over an opened volume, whose cipher it takes: byte-addressable, counted,
// thread-safe.
// Where the container is cut short within the data, what is missing gives `io`; that is for reading
// only, and bad_header without `read_only`.
// `stats` (may be null) receives the top device as its own type; it lives as long as the result.
Result<DevicePtr> compose_volume(DevicePtr container, OpenedVolume& volume,
                                 const StackOptions& options, StatsDevice** stats);

// The same without encryption: the baseline.
Result<DevicePtr> compose_plain(DevicePtr container, const StackOptions& options,
                                StatsDevice** stats);

}  // namespace volt
