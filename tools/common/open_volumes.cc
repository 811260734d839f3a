#include "tools/common/open_volumes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>

#include "blockdev/host/child.h"
#include "blockdev/host/file_descriptor.h"
#include "tools/common/loop_attach.h"

namespace volt {
namespace {

constexpr auto answer_limit = std::chrono::seconds(3);

CallOutcome read_whole_file(const std::string& path) {
  CallOutcome outcome;
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return {errno, {}};
  std::array<char, 16384> buffer{};
  for (;;) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
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
    default:
      return VolumeState::no_answer;
  }
}

OpenVolume examine(const MountEntry& mount) {
  OpenVolume volume;
  volume.mount = mount;
  const auto outcome = run_bounded(
      answer_limit, [&mount] { return read_whole_file(mount.mount_point + "/status.json"); });
  volume.state = state_of(outcome);
  if (volume.state == VolumeState::open) volume.status_json = outcome->text;
  volume.loop_devices = loop_devices_on(volume.volume_path());
  return volume;
}

nlohmann::json parsed_status(const OpenVolume& volume) {
  return nlohmann::json::parse(volume.status_json, nullptr, /*allow_exceptions=*/false);
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

std::int64_t status_number(const OpenVolume& volume, const char* field, std::int64_t fallback) {
  const auto status = parsed_status(volume);
  const auto found = status.is_object() ? status.find(field) : status.end();
  if (!status.is_object() || found == status.end() || !found->is_number_integer()) return fallback;
  return found->get<std::int64_t>();
}

std::string status_string(const OpenVolume& volume, const char* field) {
  const auto status = parsed_status(volume);
  if (!status.is_object()) return "";
  const auto found = status.find(field);
  return found != status.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string container_notice(const OpenVolume& volume) {
  const std::string state = status_string(volume, "container_state");
  if (state.empty() || state == "present") return "";
  const auto status = parsed_status(volume);
  for (const auto& file : status["container_files"]) {
    if (file["state"] != state) continue;
    const auto path = file["path"].get<std::string>();
    if (state == "deleted") return path + " was deleted or replaced while open";
    const std::string now = file["now"].is_string() ? file["now"].get<std::string>() : "";
    return path + " was renamed while open" + (now.empty() ? "" : " and is now " + now);
  }
  return "";
}

bool container_deleted(const OpenVolume& volume) {
  return status_string(volume, "container_state") == "deleted";
}

bool status_flag(const OpenVolume& volume, const char* field) {
  const auto status = parsed_status(volume);
  if (!status.is_object()) return false;
  const auto found = status.find(field);
  return found != status.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace volt
