#include "daemon/fuse/mount_point.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <future>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "blockdev/host/error_text.h"
#include "blockdev/host/mount_table.h"
#include "blockdev/host/runtime_folder.h"
#include "daemon/serve/log.h"

namespace volt {
namespace {

constexpr auto answer_limit = std::chrono::seconds(3);

Error refused(ErrorCode code, const char* sentence, std::string* why) {
  *why = sentence;
  return {code, 0, sentence, 0};
}

Error from_errno(int code, std::string* why) {
  Error error = error_from_errno("", code);
  *why = code == ENOENT ? "there is no such folder" : error_text(error);
  return error;
}

// Whether a mounted file system is there, dead (its process has gone) or silent. Attributes may
// come from the kernel's cache even where the process has gone; this question is always passed on.
// It is asked by a thread that may be left behind, since a stopped process never answers.
enum class Pulse { alive, dead, silent };

Pulse feel_pulse(const std::string& folder) {
  std::packaged_task<int()> ask([folder] {
    struct statvfs info {};
    return ::statvfs(folder.c_str(), &info) == 0 ? 0 : errno;
  });
  std::future<int> answer = ask.get_future();
  std::thread(std::move(ask)).detach();
  if (answer.wait_for(answer_limit) != std::future_status::ready) return Pulse::silent;
  const int reason = answer.get();
  return reason == ENOTCONN || reason == ECONNABORTED ? Pulse::dead : Pulse::alive;
}

Status clean_dead_mount(const MountEntry& mount, std::string* why) {
  if (const Status status = unmount(mount, /*lazy=*/true); !status) {
    if (status.error().sys_errno == EINVAL) return {};  // another one has just done it
    *why = "a volume whose daemon has died cannot be unmounted: " + error_text(status.error());
    return status;
  }
  log_notice(mount.mount_point + ": unmounted a volume whose daemon had died");
  return {};
}

Status check_empty(int folder_fd, std::string* why) {
  FileDescriptor again(::openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!again) return from_errno(errno, why);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(again.release()), &::closedir);
  if (stream == nullptr) return from_errno(errno, why);
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      return refused(ErrorCode::invalid_argument, "the folder is not empty", why);
    }
  }
  if (errno != 0) return from_errno(errno, why);
  return {};
}

// Refuses what is mounted there, but for a dead mount of ours, which is taken away.
Status make_free(const std::string& folder, std::string* why) {
  const auto mounts = read_mounts();
  if (!mounts) return from_errno(mounts.error().sys_errno, why);
  const auto entry = find_mount(*mounts, folder);
  if (!entry) return {};
  if (!entry->ours()) return refused(ErrorCode::busy, "it is a mount point already", why);
  switch (feel_pulse(folder)) {
    case Pulse::silent:
      return refused(ErrorCode::busy, "a volume is open there that does not answer", why);
    case Pulse::alive:
      return refused(ErrorCode::busy, "a volume is already open there", why);
    case Pulse::dead:
      break;
  }
  return clean_dead_mount(*entry, why);
}

// Goes without where there is no runtime folder, or it has no locks.
Status lock_folder(MountPoint* folder, std::string* why) {
  struct stat info {};
  if (::fstat(folder->folder.get(), &info) != 0) return from_errno(errno, why);
  const auto runtime = runtime_folder();
  if (!runtime) return {};
  const std::string name = *runtime + "/mount-" + std::to_string(info.st_dev) + "-" +
                           std::to_string(info.st_ino) + ".lock";
  folder->lock.reset(
      ::open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!folder->lock) return {};
  if (::flock(folder->lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return refused(ErrorCode::busy, "a volume is being opened there", why);
  }
  return {};
}

}  // namespace

Result<std::string> check_held_folder(int folder_fd, std::string* why) {
  std::array<char, PATH_MAX> name{};
  const std::string link = "/proc/self/fd/" + std::to_string(folder_fd);
  const ssize_t length = ::readlink(link.c_str(), name.data(), name.size());
  if (length < 0 || static_cast<std::size_t>(length) == name.size()) {
    return from_errno(length < 0 ? errno : ENAMETOOLONG, why);
  }
  std::string path(name.data(), static_cast<std::size_t>(length));
  const auto mounts = read_mounts();
  if (!mounts) return from_errno(mounts.error().sys_errno, why);
  if (find_mount(*mounts, path)) {
    return refused(ErrorCode::busy, "something has been mounted there meanwhile", why);
  }
  VOLT_TRY(check_empty(folder_fd, why));
  return path;
}

Result<MountPoint> prepare_mount_point(const std::string& path, std::string* why) {
  auto canonical = canonical_mount_point(path);
  if (!canonical) return from_errno(canonical.error().sys_errno, why);
  MountPoint folder{std::move(*canonical), {}, {}};
  VOLT_TRY(make_free(folder.path, why));
  folder.folder.reset(::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.folder && errno == ENOTDIR) {
    return refused(ErrorCode::invalid_argument, "not a folder", why);
  }
  if (!folder.folder) return from_errno(errno, why);
  VOLT_TRY(lock_folder(&folder, why));
  VOLT_TRY(make_free(folder.path, why));  // who had the lock may have mounted by now
  VOLT_TRY(check_empty(folder.folder.get(), why));
  return folder;
}

}  // namespace volt
