#include "daemon/mount_point.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "blockdev/error_text.h"
#include "blockdev/mount_table.h"
#include "daemon/log.h"

namespace volt {
namespace {

Error refused(ErrorCode code, const char* sentence, std::string* why) {
  *why = sentence;
  return {code, 0, sentence, 0};
}

Error from_errno(int code, std::string* why) {
  Error error = error_from_errno("", code);
  *why = code == ENOENT ? "there is no such folder" : error_text(error);
  return error;
}

// Takes a dead mount of ours away; true if the folder may now be looked at again.
Status clean_dead_mount(const std::string& folder, std::string* why) {
  const auto mounts = read_mounts();
  if (!mounts) return mounts.error();
  const auto entry = find_mount(*mounts, folder);
  if (!entry || !entry->ours()) {
    return refused(ErrorCode::busy, "a file system that does not answer is mounted there", why);
  }
  if (const Status status = unmount(folder, /*lazy=*/true); !status) {
    *why = "a volume whose daemon has died cannot be unmounted: " + error_text(status.error());
    return status;
  }
  log_notice(folder + ": unmounted a volume whose daemon had died");
  return {};
}

Status check_empty(const std::string& folder, std::string* why) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), &::closedir);
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

}  // namespace

Result<std::string> prepare_mount_point(const std::string& path, std::string* why) {
  auto canonical = canonical_mount_point(path);
  if (!canonical) return from_errno(canonical.error().sys_errno, why);
  struct stat info {};
  if (::stat(canonical->c_str(), &info) != 0) {
    if (errno != ENOTCONN) return from_errno(errno, why);
    VOLT_TRY(clean_dead_mount(*canonical, why));
    if (::stat(canonical->c_str(), &info) != 0) return from_errno(errno, why);
  }
  if (!S_ISDIR(info.st_mode)) {
    return refused(ErrorCode::invalid_argument, "not a folder", why);
  }
  const auto mounts = read_mounts();
  if (mounts) {
    const auto entry = find_mount(*mounts, *canonical);
    if (entry && entry->ours()) {
      return refused(ErrorCode::busy, "a volume is already open there", why);
    }
    if (entry) return refused(ErrorCode::busy, "it is a mount point already", why);
  }
  VOLT_TRY(check_empty(*canonical, why));
  return canonical;
}

}  // namespace volt
