#include "blockdev/stack/storage_users.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "blockdev/backing/block_device_use.h"
#include "blockdev/backing/storage_map.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/file_descriptor.h"
#include "blockdev/host/mount_table.h"
#include "blockdev/stack/container_spec.h"

namespace volt {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_named = 5;

StorageMap map_path(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  return file ? map_storage(file.get()) : StorageMap{};
}

// How /proc/PID/fdinfo names an inode: "fe:00:1234".
std::string lock_name(dev_t device, ino_t inode) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), " %02x:%02x:%llu ", major(device), minor(device),
                static_cast<unsigned long long>(inode));
  return text.data();
}

// The files that StorageLock locks for this storage.
std::vector<std::string> lock_names(const StorageMap& storage) {
  std::vector<std::string> names;
  for (const StorageExtent& extent : storage.extents) {
    if (extent.is_file) names.push_back(lock_name(extent.device, extent.inode));
  }
  for (const StorageDevice& device : storage.devices) {
    struct stat info {};
    if (::stat((sysfs_folder(device.number) + "/dev").c_str(), &info) == 0) {
      names.push_back(lock_name(info.st_dev, info.st_ino));
    }
  }
  return names;
}

bool holds_lock(const fs::path& process, const std::vector<std::string>& names) {
  std::error_code error;
  for (fs::directory_iterator it(process / "fdinfo", error), end; !error && it != end;
       it.increment(error)) {
    std::ifstream file(it->path());
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("lock:")) continue;
      const auto named = [&line](const std::string& name) {
        return line.find(name) != std::string::npos;
      };
      if (std::any_of(names.begin(), names.end(), named)) return true;
    }
  }
  return false;
}

void add(const std::string& item, std::string* list) {
  if (!list->empty()) *list += ", ";
  *list += item;
}

void add_volumes(const StorageMap& storage, std::string* users) {
  const auto mounts = read_mounts();
  if (!mounts) return;
  for (const MountEntry& mount : *mounts) {
    if (!mount.ours()) continue;
    for (const std::string& path : container_paths(mount.source)) {
      if (path_waits_elsewhere(path, *mounts, storage)) continue;
      if (!storage_overlaps(storage, map_path(path))) continue;
      add("open on " + mount.mount_point, users);
      break;
    }
  }
}

void add_processes(const StorageMap& storage, std::string* users) {
  const std::vector<std::string> names = lock_names(storage);
  const std::string own_number = std::to_string(::getpid());
  std::size_t named = 0;
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string number = it->path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    if (number == own_number || !holds_lock(it->path(), names)) continue;
    if (++named > max_named) return;
    add("locked by " + first_line(it->path() / "comm") + " (" + number + ")", users);
  }
}

void add_devices(const StorageMap& storage, std::string* users) {
  std::vector<dev_t> devices = loop_devices_over(storage);
  for (const StorageDevice& device : storage.devices) devices.push_back(device.number);
  for (const dev_t device : devices) {
    const std::string use = block_device_use(device);
    if (!use.empty()) add("/dev/" + block_device_name(device) + " is " + use, users);
  }
}

}  // namespace

std::string storage_users(const std::string& container) {
  std::string users;
  for (const std::string& path : container_paths(container)) {
    const StorageMap storage = map_path(path);
    if (storage.extents.empty()) continue;
    add_volumes(storage, &users);
    add_processes(storage, &users);
    add_devices(storage, &users);
  }
  return users;
}

std::string container_error_text(const std::string& container, const Error& error) {
  const std::string text = error_text(error);
  if (error.code != ErrorCode::busy) return text;
  const std::string users = storage_users(container);
  return users.empty() ? text : text + " (" + users + ")";
}

}  // namespace volt
