// What a path stands on: file system, mount, device.
#pragma once

#include <cstdint>
#include <string>

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

// First line of a small text file, or "".
std::string first_line_of(const std::string& path);

// One line of /proc/self/mountinfo taken apart; false where it is malformed. `id` is the mount's.
bool parse_mount_line(const std::string& line, std::uint64_t* id, StorageFacts* facts);

}  // namespace volt
