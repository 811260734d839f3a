#include "blockdev/backing/block_device_use.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "blockdev/backing/storage_map.h"
#include "blockdev/host/file_descriptor.h"
#include "blockdev/host/mount_table.h"

namespace volt {

std::string block_device_use(dev_t number) {
  if (const auto mounts = read_mounts()) {
    for (const MountEntry& mount : *mounts) {
      if (makedev(mount.major, mount.minor) == number) return "mounted on " + mount.mount_point;
    }
  }
  std::error_code ignored;
  for (const auto& holder :
       std::filesystem::directory_iterator(sysfs_folder(number) + "/holders", ignored)) {
    return "part of /dev/" + holder.path().filename().string();
  }
  const std::string path = "/dev/" + block_device_name(number);
  std::ifstream swaps("/proc/swaps");
  for (std::string line; std::getline(swaps, line);) {
    if (line.starts_with(path + " ") || line.starts_with(path + "\t")) return "used for swap";
  }
  return "";
}

bool device_in_use(dev_t number) {
  const std::string path = "/dev/" + block_device_name(number);
  const FileDescriptor probe(
      ::open(path.c_str(), O_RDONLY | O_EXCL | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (probe) return false;
  return errno == EBUSY || !block_device_use(number).empty();
}

}  // namespace volt
