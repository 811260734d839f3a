#include "blockdev/backing/storage_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

#include "blockdev/backing/block_device_use.h"
#include "blockdev/backing/storage_map.h"

namespace volt {
namespace {

constexpr int open_flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

Error in_use() noexcept {
  return {ErrorCode::busy, 0, "is in use already", 0};
}

// The very file below a loop device, by its name; empty where another one has that name now.
FileDescriptor open_extent(const StorageExtent& extent, bool* read_only) {
  FileDescriptor file;
  if (!*read_only) file.reset(::open(extent.path.c_str(), open_flags | O_RDWR));
  if (!file) {
    *read_only = true;  // a shared lock still keeps writers out
    file.reset(::open(extent.path.c_str(), open_flags | O_RDONLY));
  }
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return {};
  return info.st_dev == extent.device && info.st_ino == extent.inode ? std::move(file)
                                                                     : FileDescriptor();
}

enum class Locking { done, busy, unknown };

Locking lock_range(int fd, const StorageExtent& extent, bool shared) noexcept {
  struct flock lock {};
  lock.l_type = shared ? F_RDLCK : F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(extent.begin_bytes);
  // 0: up to the end, wherever that will be.
  lock.l_len =
      extent.end_bytes == INT64_MAX ? 0 : static_cast<off_t>(extent.end_bytes - extent.begin_bytes);
  if (::fcntl(fd, F_OFD_SETLK, &lock) == 0) return Locking::done;
  return errno == EAGAIN || errno == EACCES ? Locking::busy : Locking::unknown;
}

Locking lock_entry(const std::string& folder, bool shared, FileDescriptor* entry) {
  entry->reset(::open((folder + "/dev").c_str(), O_RDONLY | O_CLOEXEC));
  if (!*entry) return Locking::unknown;
  if (::flock(entry->get(), (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0) return Locking::done;
  return errno == EWOULDBLOCK ? Locking::busy : Locking::unknown;
}

}  // namespace

Result<StorageLock> StorageLock::take(int fd, bool read_only) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return error_from_errno("stat", errno);
  const StorageMap map = map_storage(fd);
  StorageLock lock;
  for (const StorageExtent& extent : map.extents) {
    if (extent.is_file) VOLT_TRY(lock.lock_file(fd, extent, read_only));
  }
  for (auto device = map.devices.rbegin(); device != map.devices.rend(); ++device) {
    VOLT_TRY(lock.lock_device(*device, read_only));
  }
  if (read_only) return lock;
  // Before the claim, which keeps others, and this question, from the partitions as well.
  for (const dev_t loop : loop_devices_over(map)) {
    if (device_in_use(loop)) {
      return Error{ErrorCode::busy, 0, "is in use already, through a loop device over it", 0};
    }
  }
  if (S_ISBLK(info.st_mode)) VOLT_TRY(lock.claim(fd));
  return lock;
}

Status StorageLock::lock_file(int fd, const StorageExtent& extent, bool read_only) {
  bool shared = read_only || !extent.exact;
  FileDescriptor opened;
  if (!extent.path.empty()) {
    opened = open_extent(extent, &shared);
    if (!opened) return {};
    fd = opened.get();
  }
  const Locking locking = lock_range(fd, extent, shared);
  if (locking == Locking::busy) return in_use();
  if (locking != Locking::done) return {};
  held_ = true;
  if (opened) descriptors_.push_back(std::move(opened));
  return {};
}

// Of a part only its own entry is taken alone, that of the disk is shared with the other parts;
// who wants the disk whole takes its parts as well.
Status StorageLock::lock_device(const StorageDevice& device, bool read_only) {
  const std::string folder = sysfs_folder(device.number);
  std::vector<std::string> entries = {folder};
  if (device.used == DevicePart::whole) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      if (std::filesystem::exists(entry.path() / "partition", ignored)) {
        entries.push_back(entry.path().string());
      }
    }
  }
  for (const std::string& entry : entries) {
    FileDescriptor opened;
    const bool shared = read_only || device.used == DevicePart::part;
    const Locking locking = lock_entry(entry, shared, &opened);
    if (locking == Locking::busy) return in_use();
    if (locking != Locking::done) continue;
    held_ = true;
    descriptors_.push_back(std::move(opened));
  }
  return {};
}

Status StorageLock::claim(int fd) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  FileDescriptor claimed(::open(path.c_str(), open_flags | O_RDONLY | O_EXCL));
  if (!claimed && errno == EBUSY) {
    return Error{ErrorCode::busy, 0, "is in use already: mounted, or claimed by another program",
                 0};
  }
  if (!claimed) return error_from_errno("claim the block device", errno);
  descriptors_.push_back(std::move(claimed));
  return {};
}

}  // namespace volt
