#include "tools/common/process_watch.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "blockdev/host/mount_table.h"

namespace volt {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_named_processes = 5;

std::string command_name(const fs::path& process) {
  std::ifstream file(process / "comm");
  std::string name;
  std::getline(file, name);
  return name;
}

// Whose process it is. (The owner of its folder in /proc is root's where it cannot be traced.)
std::optional<uid_t> user_of(const fs::path& process) {
  std::ifstream file(process / "status");
  for (std::string line; std::getline(file, line);) {
    unsigned user = 0;
    if (std::sscanf(line.c_str(), "Uid: %u", &user) == 1) return user;
  }
  return std::nullopt;
}

bool is_below(const fs::path& link, const std::string& folder) {
  std::error_code error;
  const std::string target = fs::read_symlink(link, error);
  if (error) return false;
  return target == folder || target.starts_with(folder + "/");
}

bool uses(const fs::path& process, const std::string& folder) {
  if (is_below(process / "cwd", folder)) return true;
  std::error_code error;
  for (fs::directory_iterator it(process / "fd", error), end; !error && it != end;
       it.increment(error)) {
    if (is_below(it->path(), folder)) return true;
  }
  return false;
}

std::string mount_namespace(const fs::path& process) {
  std::error_code error;
  return fs::read_symlink(process / "ns" / "mnt", error);
}

// The first few processes that fit, without this one.
std::string name_processes(const std::function<bool(const fs::path&)>& fits) {
  std::string out;
  const std::string own_number = std::to_string(::getpid());
  std::size_t named = 0;
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string number = it->path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    if (number == own_number || !fits(it->path())) continue;
    if (++named > max_named_processes) return out + ", ...";
    out += (out.empty() ? "" : ", ") + command_name(it->path()) + " (" + number + ")";
  }
  return out;
}

}  // namespace

Result<DaemonWatch> DaemonWatch::create(pid_t pid, uid_t user) {
  if (pid <= 0) return Error{ErrorCode::not_found, ESRCH, "voltd", 0};
  FileDescriptor fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!fd) return error_from_errno("voltd", errno);
  DaemonWatch watch(std::move(fd));
  const fs::path process = "/proc/" + std::to_string(pid);
  if (command_name(process) != "voltd" || user_of(process) != user) {
    return Error{ErrorCode::not_found, ESRCH, "voltd", 0};
  }
  return watch;
}

Status DaemonWatch::send(int signal) const {
  if (::syscall(SYS_pidfd_send_signal, fd_.get(), signal, nullptr, 0) == 0) return {};
  return error_from_errno("voltd", errno);
}

bool DaemonWatch::wait(std::chrono::milliseconds limit) const {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    struct pollfd watched = {fd_.get(), POLLIN, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0;
  }
}

std::string processes_using(const std::string& folder) {
  return name_processes([&folder](const fs::path& process) { return uses(process, folder); });
}

std::string processes_mounting(const std::string& device) {
  std::set<std::string> seen = {mount_namespace("/proc/self"), ""};
  return name_processes([&](const fs::path& process) {
    if (!seen.insert(mount_namespace(process)).second) return false;
    const auto mounts = read_mounts_of(process.filename());
    return mounts && std::any_of(mounts->begin(), mounts->end(), [&device](const auto& mount) {
             return mount_is_from(mount, device);
           });
  });
}

}  // namespace volt
