#include "daemon/mount_point.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "blockdev/error_text.h"
#include "blockdev/mount_table.h"
#include "daemon/log.h"

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

Status clean_dead_mount(const std::string& folder, std::string* why) {
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
  const auto mounts = read_mounts();
  if (!mounts) return from_errno(mounts.error().sys_errno, why);
  if (const auto entry = find_mount(*mounts, *canonical)) {
    if (!entry->ours()) return refused(ErrorCode::busy, "it is a mount point already", why);
    const Pulse pulse = feel_pulse(*canonical);
    if (pulse == Pulse::silent) {
      return refused(ErrorCode::busy, "a volume is open there that does not answer", why);
    }
    if (pulse == Pulse::alive) {
      return refused(ErrorCode::busy, "a volume is already open there", why);
    }
    VOLT_TRY(clean_dead_mount(*canonical, why));
  }
  struct stat info {};
  if (::stat(canonical->c_str(), &info) != 0) return from_errno(errno, why);
  if (!S_ISDIR(info.st_mode)) {
    return refused(ErrorCode::invalid_argument, "not a folder", why);
  }
  VOLT_TRY(check_empty(*canonical, why));
  return canonical;
}

}  // namespace volt
