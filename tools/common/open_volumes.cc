#include "tools/common/open_volumes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "blockdev/host/child.h"
#include "blockdev/host/file_descriptor.h"
#include "tools/common/loop_attach.h"

namespace volt {
namespace {

constexpr auto answer_limit = std::chrono::seconds(3);

CallOutcome read_status(const MountEntry& mount) {
  CallOutcome outcome;
  const auto file = open_in_mount(mount, "status.json", O_RDONLY);
  if (!file) return {file.error().sys_errno, {}};
  std::array<char, 16384> buffer{};
  for (;;) {
    const ssize_t count = ::read(file->get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) outcome.sys_errno = errno;
    if (count <= 0) break;
    outcome.text.append(buffer.data(), static_cast<std::size_t>(count));
    if (outcome.text.size() > max_outcome_bytes) break;
  }
  return outcome;
}

VolumeState state_of(const Result<CallOutcome>& outcome) {
  if (!outcome) return VolumeState::no_answer;
  switch (outcome->sys_errno) {
    case 0:
      return VolumeState::open;
    case EACCES:
    case EPERM:
      return VolumeState::no_access;
    case ENOTCONN:
      return VolumeState::dead;
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
      return VolumeState::foreign;
    default:
      return VolumeState::no_answer;
  }
}

OpenVolume examine(const MountEntry& mount) {
  OpenVolume volume;
  volume.mount = mount;
  const auto outcome = run_bounded(answer_limit, [&mount] { return read_status(mount); });
  volume.state = state_of(outcome);
  if (volume.state == VolumeState::open) {
    volume.status_json = outcome->text;
    volume.status = parse_status_json(volume.status_json);
    if (!volume.status) volume.state = VolumeState::foreign;
  }
  volume.loop_devices = loop_devices_on(volume.volume_path());
  return volume;
}

}  // namespace

const char* volume_state_name(VolumeState state) noexcept {
  switch (state) {
    case VolumeState::open:
      return "open";
    case VolumeState::no_access:
      return "no access";
    case VolumeState::dead:
      return "dead";
    case VolumeState::no_answer:
      return "no answer";
    case VolumeState::foreign:
      return "not a volume";
  }
  return "unknown";
}

Result<std::vector<OpenVolume>> list_open_volumes() {
  const auto mounts = read_mounts();
  if (!mounts) return mounts.error();
  std::vector<OpenVolume> volumes;
  for (const MountEntry& mount : *mounts) {
    const auto top = find_mount(*mounts, mount.mount_point);
    if (!mount.ours() || !top || top->minor != mount.minor || top->major != mount.major) continue;
    volumes.push_back(examine(mount));
  }
  return volumes;
}

Result<OpenVolume> find_open_volume(const std::string& folder) {
  const auto canonical = canonical_mount_point(folder);
  if (!canonical) return canonical.error();
  const auto mounts = read_mounts();
  if (!mounts) return mounts.error();
  const auto mount = find_mount(*mounts, *canonical);
  if (!mount || !mount->ours()) {
    return Error{ErrorCode::not_found, 0, "no volume is open there", 0};
  }
  return examine(*mount);
}

std::string container_notice(const OpenVolume& volume) {
  if (!volume.status) return "";
  const std::string& state = volume.status->container_state;
  if (state.empty() || state == "present") return "";
  for (const FileStatus& file : volume.status->container_files) {
    if (file.state != state) continue;
    if (state == "deleted") return file.path + " was deleted or replaced while open";
    return file.path + " was renamed while open" +
           (file.now.empty() ? "" : " and is now " + file.now);
  }
  return "";
}

bool container_deleted(const OpenVolume& volume) {
  return volume.status && volume.status->container_state == "deleted";
}

}  // namespace volt
