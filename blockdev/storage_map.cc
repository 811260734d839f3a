#include "blockdev/storage_map.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "blockdev/file_descriptor.h"

namespace volt {
namespace {

constexpr int max_depth = 16;
constexpr std::uint64_t sysfs_sector_bytes = 512;
constexpr std::uint64_t open_end = INT64_MAX;  // as far as it goes, also when it grows

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = open_end;

  // The same bytes one level down, where this level is `length` bytes from `offset` on.
  Range shifted(std::uint64_t offset, std::uint64_t length) const {
    const std::uint64_t room = open_end - std::min(offset, open_end);
    const auto move = [&](std::uint64_t at) {
      return std::min({at, length, room}) + std::min(offset, open_end);
    };
    return {move(begin), move(end)};
  }
};

std::optional<std::uint64_t> number_in(const std::string& path) {
  const std::string line = first_line(path);
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(line.data(), line.data() + line.size(), value);
  if (line.empty() || parsed.ec != std::errc{}) return std::nullopt;
  return value;
}

// "7:0"
std::optional<dev_t> device_number_in(const std::string& path) {
  unsigned major_number = 0;
  unsigned minor_number = 0;
  if (std::sscanf(first_line(path).c_str(), "%u:%u", &major_number, &minor_number) != 2) {
    return std::nullopt;
  }
  return makedev(major_number, minor_number);
}

struct LoopFacts {
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;  // 0: up to the end
  dev_t backing_device = 0;
  ino_t backing_inode = 0;
  dev_t backing_number = 0;  // of a block device below; 0: a file
  std::string path;
};

FileDescriptor open_node(dev_t number) {
  const std::string path = "/dev/" + block_device_name(number);
  FileDescriptor node(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!node || ::fstat(node.get(), &info) != 0 || info.st_rdev != number) return {};
  return node;
}

// Asks the driver, which names the file itself and not only where it was; else, for users who may
// not open the device, what /sys tells.
std::optional<LoopFacts> loop_facts(dev_t number, int fd) {
  const std::string folder = sysfs_folder(number) + "/loop/";
  LoopFacts facts;
  facts.path = first_line(folder + "backing_file");
  if (facts.path.empty()) return std::nullopt;
  FileDescriptor opened;
  if (fd < 0) {
    opened = open_node(number);
    fd = opened.get();
  }
  struct loop_info64 info {};
  if (fd >= 0 && ::ioctl(fd, LOOP_GET_STATUS64, &info) == 0) {
    facts.offset = info.lo_offset;
    facts.limit = info.lo_sizelimit;
    facts.backing_device = static_cast<dev_t>(info.lo_device);
    facts.backing_inode = static_cast<ino_t>(info.lo_inode);
    facts.backing_number = static_cast<dev_t>(info.lo_rdevice);
    return facts;
  }
  facts.offset = number_in(folder + "offset").value_or(0);
  facts.limit = number_in(folder + "sizelimit").value_or(0);
  struct stat file {};
  if (::stat(facts.path.c_str(), &file) != 0) return std::nullopt;
  facts.backing_device = file.st_dev;
  facts.backing_inode = file.st_ino;
  if (S_ISBLK(file.st_mode)) facts.backing_number = file.st_rdev;
  return facts;
}

// Walks down from one device and notes what it passes.
class Walk {
 public:
  explicit Walk(StorageMap* map) : map_(map) {}

  // `fd` is the device where it is open, else -1. `used` tells of the device, `exact` of `range`.
  void down(dev_t number, int fd, Range range, DevicePart used, bool exact, int depth) {
    if (depth > max_depth) return;
    map_->devices.push_back({number, used});
    const std::string folder = sysfs_folder(number);
    if (number_in(folder + "/partition")) {
      const auto disk = device_number_in(folder + "/../dev");
      const auto start = number_in(folder + "/start");
      const auto size = number_in(folder + "/size");
      if (!disk || !start || !size) return;
      down(*disk, -1, range.shifted(*start * sysfs_sector_bytes, *size * sysfs_sector_bytes),
           DevicePart::part, exact, depth + 1);
    } else if (const auto loop = loop_facts(number, fd)) {
      down_loop(*loop, range, used, exact, depth);
    } else if (!down_slaves(folder, depth) && !block_device_name(number).empty()) {
      map_->extents.push_back({false, number, 0, range.begin, range.end, exact, ""});
    }
  }

 private:
  void down_loop(const LoopFacts& loop, Range range, DevicePart used, bool exact, int depth) {
    const Range below = range.shifted(loop.offset, loop.limit != 0 ? loop.limit : open_end);
    if (loop.backing_number != 0) {
      down(loop.backing_number, -1, below, used, exact, depth + 1);
    } else {
      map_->extents.push_back({true, loop.backing_device, loop.backing_inode, below.begin,
                               below.end, exact, loop.path});
    }
  }

  bool down_slaves(const std::string& folder, int depth) {
    bool any = false;
    std::error_code ignored;
    for (const auto& slave : std::filesystem::directory_iterator(folder + "/slaves", ignored)) {
      const auto number = device_number_in(slave.path().string() + "/dev");
      if (!number) continue;
      any = true;
      down(*number, -1, Range{}, DevicePart::part, false, depth + 1);
    }
    return any;
  }

  StorageMap* map_;
};

StorageMap map_device(dev_t number, int fd) {
  StorageMap map;
  Walk(&map).down(number, fd, Range{}, DevicePart::whole, true, 0);
  return map;
}

bool same_base(const StorageExtent& a, const StorageExtent& b) {
  return a.is_file == b.is_file && a.device == b.device && a.inode == b.inode;
}

bool whole(const StorageExtent& extent) {
  return extent.exact && extent.begin_bytes == 0 && extent.end_bytes == open_end;
}

bool extents_overlap(const StorageExtent& a, const StorageExtent& b) {
  if (!same_base(a, b)) return false;
  if (!a.exact || !b.exact) return whole(a) || whole(b);
  return a.begin_bytes < b.end_bytes && b.begin_bytes < a.end_bytes;
}

bool has_a_server(const std::string& fs_type) {
  for (const char* prefix : {"fuse", "nfs", "cifs", "smb", "9p", "ceph", "afs"}) {
    if (fs_type.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string sysfs_folder(dev_t number) {
  return "/sys/dev/block/" + std::to_string(major(number)) + ":" + std::to_string(minor(number));
}

std::string block_device_name(dev_t number) {
  std::error_code ignored;
  return std::filesystem::read_symlink(sysfs_folder(number), ignored).filename().string();
}

StorageMap map_block_device(dev_t number) {
  return map_device(number, -1);
}

StorageMap map_storage(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return {};
  if (S_ISBLK(info.st_mode)) return map_device(info.st_rdev, fd);
  StorageMap map;
  map.extents.push_back({true, info.st_dev, info.st_ino, 0, open_end, true, ""});
  return map;
}

bool storage_overlaps(const StorageMap& a, const StorageMap& b) {
  return std::any_of(a.extents.begin(), a.extents.end(), [&b](const StorageExtent& mine) {
    return std::any_of(b.extents.begin(), b.extents.end(), [&mine](const StorageExtent& other) {
      return extents_overlap(mine, other);
    });
  });
}

bool path_waits_elsewhere(const std::string& path, const std::vector<MountEntry>& mounts,
                          const StorageMap& storage) {
  const MountEntry* found = nullptr;
  for (const MountEntry& mount : mounts) {
    const std::string& at = mount.mount_point;
    const bool inside = at == "/" || path == at || path.starts_with(at + "/");
    if (inside && (found == nullptr || at.size() >= found->mount_point.size())) found = &mount;
  }
  if (found == nullptr || !has_a_server(found->fs_type)) return false;
  const dev_t device = makedev(found->major, found->minor);
  return std::none_of(storage.extents.begin(), storage.extents.end(),
                      [device](const StorageExtent& e) { return e.is_file && e.device == device; });
}

std::vector<dev_t> loop_devices_over(const StorageMap& storage) {
  std::vector<dev_t> found;
  const auto mounts = read_mounts();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/block", ignored)) {
    const std::string folder = entry.path().string();
    if (!entry.path().filename().string().starts_with("loop")) continue;
    std::string file = first_line(folder + "/loop/backing_file");
    if (file.empty()) file = first_line(folder + "/../loop/backing_file");  // of a partition
    if (file.empty() || (mounts && path_waits_elsewhere(file, *mounts, storage))) continue;
    const auto number = device_number_in(folder + "/dev");
    if (!number) continue;
    const bool own = std::any_of(storage.devices.begin(), storage.devices.end(),
                                 [&](const StorageDevice& d) { return d.number == *number; });
    if (!own && storage_overlaps(storage, map_block_device(*number))) found.push_back(*number);
  }
  return found;
}

}  // namespace volt
