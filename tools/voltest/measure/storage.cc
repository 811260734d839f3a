#include "tools/voltest/measure/storage.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "blockdev/backing/storage_map.h"
#include "blockdev/host/mount_table.h"

namespace volt {
namespace {

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

void add_device_facts(dev_t number, StorageFacts* facts) {
  const std::string folder = sysfs_folder(number);
  for (const char* up : {"/", "/../"}) {  // a partition's queue is its parent's
    const std::string rotational = first_line(folder + up + "queue/rotational");
    if (rotational.empty()) continue;
    facts->rotational = rotational == "1" ? 1 : 0;
    std::string model = first_line(folder + up + "device/model");
    while (!model.empty() && model.back() == ' ') model.pop_back();
    facts->device_model = model;
    return;
  }
}

}  // namespace

StorageFacts facts_of_mount(const MountEntry& mount) {
  StorageFacts facts;
  facts.file_system = mount.fs_type;
  facts.mount_point = mount.mount_point;
  facts.device = mount.source;
  facts.mount_options = mount.mount_options + "," + mount.super_options;
  facts.in_memory = mount.fs_type == "tmpfs" || mount.fs_type == "ramfs";
  facts.compresses = contains(facts.mount_options, "compress") || mount.fs_type == "zfs" ||
                     mount.fs_type == "squashfs" || mount.fs_type == "bcachefs";
  return facts;
}

StorageFacts storage_facts(const std::string& path) {
  StorageFacts facts;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return facts;
  if (S_ISBLK(info.st_mode)) {
    facts.device = path;
    add_device_facts(info.st_rdev, &facts);
    return facts;
  }
  struct statx wide {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_MNT_ID, &wide) != 0) return facts;
  if (const auto mounts = read_mounts()) {
    for (const MountEntry& mount : *mounts) {
      if (mount.id == wide.stx_mnt_id) facts = facts_of_mount(mount);
    }
  }
  // Inherited by what is made in a folder; set by chattr +c and by btrfs properties.
  if ((wide.stx_attributes & STATX_ATTR_COMPRESSED) != 0) facts.compresses = true;
  struct stat device {};
  if (!facts.device.empty() && facts.device[0] == '/' &&
      ::stat(facts.device.c_str(), &device) == 0 && S_ISBLK(device.st_mode)) {
    add_device_facts(device.st_rdev, &facts);
  } else {
    add_device_facts(info.st_dev, &facts);
  }
  return facts;
}

std::string describe_storage(const StorageFacts& facts) {
  std::string text = facts.file_system;
  if (!facts.device.empty() && facts.device != facts.file_system) {
    text += (text.empty() ? "" : " on ") + facts.device;
  }
  if (facts.rotational == 1) text += " (rotating)";
  return text;
}

}  // namespace volt
