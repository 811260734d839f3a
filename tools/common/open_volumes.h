// The volumes that are open on this machine, as the mount table and their daemons tell.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "blockdev/host/mount_table.h"
#include "blockdev/stack/volume_status.h"
#include "crypto/base/result.h"

namespace volt {

enum class VolumeState {
  open,
  no_access,  // another user's
  dead,       // its daemon has died
  no_answer,  // its daemon does not answer
  foreign,    // mounted under our type's name, but what is in it is not ours
};
const char* volume_state_name(VolumeState state) noexcept;

struct OpenVolume {
  MountEntry mount;
  VolumeState state = VolumeState::open;
  std::string status_json;                // where state is open
  std::optional<VolumeStatus> status;     // the same, read; none where it is not understood
  std::vector<std::string> loop_devices;  // attached to its file

  pid_t daemon() const { return status ? static_cast<pid_t>(status->pid) : 0; }  // 0: not known
  std::string volume_path() const { return mount.mount_point + "/volume"; }
};

// All volumes, in the kernel's order; of several on one folder the topmost. Never hangs.
Result<std::vector<OpenVolume>> list_open_volumes();

// The one on that folder. Errors: not_found, and those of canonical_mount_point.
Result<OpenVolume> find_open_volume(const std::string& folder);

// "/x/c.hc was renamed while open and is now /x/d.hc": where the container's name no longer leads
// to it. Empty where all is well, and where the daemon does not tell.
std::string container_notice(const OpenVolume& volume);
// Its bytes go when it is closed.
bool container_deleted(const OpenVolume& volume);

}  // namespace volt
