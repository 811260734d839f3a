// Where the bytes of a file or block device lie: down through loop devices and partitions.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "blockdev/mount_table.h"

namespace volt {

// A range of a regular file, or of a disk that lies on nothing else.
struct StorageExtent {
  bool is_file = false;
  dev_t device = 0;  // of a file st_dev, of a disk its own number
  ino_t inode = 0;   // of a file
  std::uint64_t begin_bytes = 0;
  std::uint64_t end_bytes = 0;
  bool exact = true;  // false: below dm or md, where which part of it is used is not known
  std::string path;   // of a file: where it can be opened, as far as the kernel tells
};

// How much of a block device on the way down is used.
enum class DevicePart : std::uint8_t { whole, part };

struct StorageDevice {
  dev_t number = 0;
  DevicePart used = DevicePart::whole;
};

struct StorageMap {
  std::vector<StorageDevice> devices;  // from the top down; of a regular file none
  std::vector<StorageExtent>
      extents;  // one, or several below dm and md; none where /sys is missing
};

// The storage of an open file or block device, and of a block device by its number (any node of
// it). What /sys and the loop driver do not tell to this user is left out.
// Follows a loop device to its file also where that was renamed; not into other mount namespaces.
StorageMap map_storage(int fd);
StorageMap map_block_device(dev_t number);

// Whether the two share bytes. Extents that are not exact share with nothing but whole extents.
bool storage_overlaps(const StorageMap& a, const StorageMap& b);

// /sys/dev/block/MAJOR:MINOR
std::string sysfs_folder(dev_t number);
// "loop0p1": the kernel's name; empty where there is no such device.
std::string block_device_name(dev_t number);
// First line of a small file; empty where it cannot be read.
std::string first_line(const std::string& path);

// Whether the path leads into a file system with a server (FUSE, NFS) and `storage` lies in another
// one: not worth waiting for a server that may never answer.
bool path_waits_elsewhere(const std::string& path, const std::vector<MountEntry>& mounts,
                          const StorageMap& storage);

// Loop devices that are attached, and their partitions, as far as they share bytes with `storage`
// and are not part of it. Looks at no file system that could be waiting for its server, unless
// `storage` itself lies there.
std::vector<dev_t> loop_devices_over(const StorageMap& storage);

}  // namespace volt
