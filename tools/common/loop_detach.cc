#include "tools/common/loop_detach.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "blockdev/host/child.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/file_descriptor.h"
#include "blockdev/host/mount_table.h"
#include "tools/common/loop_attach.h"
#include "tools/common/process_watch.h"

namespace volt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* device_problem = "detaching the loop device";
constexpr auto retry_interval = std::chrono::milliseconds(20);

CallOutcome failure(const char* what, int reason) {
  return {reason, error_text(error_from_errno(what, reason))};
}

// May take as long as the container takes to answer.
CallOutcome try_to_detach(const LoopDetachment& request) {
  // Exclusive: fails while a file system is mounted from it.
  const FileDescriptor loop(::open(request.device.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
  if (!loop) return failure(device_problem, errno);
  if (::fsync(loop.get()) != 0 && request.unwritten == Unwritten::is_an_error) {
    return failure("writing back what it holds", errno);
  }
  if (::ioctl(loop.get(), LOOP_CLR_FD, 0) != 0 && errno != ENXIO) {
    return failure(device_problem, errno);
  }
  return {};
}

bool attached(const LoopDetachment& request) {
  return loop_backing_file(request.device) == request.file;
}

// What this mount namespace does with the device; empty where it does nothing.
std::string use_here(const std::string& device) {
  if (const auto mounts = read_mounts()) {
    for (const MountEntry& mount : *mounts) {
      if (mount_is_from(mount, device)) return "mounted on " + mount.mount_point;
    }
  }
  std::ifstream swaps("/proc/swaps");
  for (std::string line; std::getline(swaps, line);) {
    if (line.starts_with(device + " ") || line.starts_with(device + "\t")) return "used for swap";
  }
  std::error_code ignored;
  const std::filesystem::path holders("/sys/block/" + device.substr(5) + "/holders");
  for (const auto& holder : std::filesystem::directory_iterator(holders, ignored)) {
    return "used by /dev/" + holder.path().filename().string();
  }
  return "";
}

DetachOutcome in_use(const LoopDetachment& request) {
  if (const std::string use = use_here(request.device); !use.empty()) {
    const char* advice = use.starts_with("mounted") ? ": unmount it first" : "";
    return {DetachResult::in_use, {}, "is in use: " + use + advice};
  }
  std::string holders = processes_using(request.device);
  if (const std::string mounting = processes_mounting(request.device); !mounting.empty()) {
    holders += (holders.empty() ? "" : ", ") + std::string("the mount namespace of ") + mounting;
  }
  if (holders.empty()) holders = "another process or mount namespace";
  return {DetachResult::in_use, {}, "is in use: held by " + holders};
}

}  // namespace

DetachOutcome detach_loop(const LoopDetachment& request) {
  const auto end = Clock::now() + request.release_limit;
  bool cleared = false;
  while (attached(request)) {
    if (!cleared) {
      const auto outcome =
          run_bounded(request.answer_limit, [&request] { return try_to_detach(request); });
      if (!outcome) return {DetachResult::no_answer, outcome.error(), ""};
      cleared = outcome->sys_errno == 0;
      if (!cleared && outcome->sys_errno != EBUSY) {
        return {DetachResult::failed, error_from_errno("", outcome->sys_errno), outcome->text};
      }
      if (!cleared && !use_here(request.device).empty()) return in_use(request);
      if (cleared) continue;
    }
    // Where others have it open the kernel lets go when the last of them closes it; there is no
    // event to wait for.
    if (Clock::now() >= end) return in_use(request);
    std::this_thread::sleep_for(retry_interval);
  }
  return {};
}

}  // namespace volt
