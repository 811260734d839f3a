// What a path stands on: file system, mount, device.
#pragma once

#include <string>

#include "blockdev/host/mount_table.h"

namespace volt {

// Empty strings where the system does not tell.
struct StorageFacts {
  std::string file_system;  // "ext4", "tmpfs", "fuse.voltd"
  std::string mount_point;
  std::string mount_options;  // of the mount and of the file system
  std::string device;         // "/dev/nvme0n1p2"
  std::string device_model;
  int rotational = -1;      // 1 a disk that turns, 0 not, -1 not known
  bool in_memory = false;   // tmpfs, ramfs
  bool compresses = false;  // the file system compresses what it stores
};

// Facts about an existing path; all empty where it does not exist.
StorageFacts storage_facts(const std::string& path);

// "ext4 on /dev/sda1 (rotating)".
std::string describe_storage(const StorageFacts& facts);

// What a mount tells of them.
StorageFacts facts_of_mount(const MountEntry& mount);

}  // namespace volt
