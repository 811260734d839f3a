// The mounts of this process' namespace, and taking ours away. The only reader of mount tables.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "crypto/base/result.h"

namespace volt {

inline constexpr const char* volt_fs_type = "fuse.volt";

// One line of /proc/self/mountinfo (proc(5)), escapes undone.
struct MountEntry {
  std::uint64_t id = 0;  // as statx(2) tells it of a path
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::string mount_point;
  std::string fs_type;
  std::string source;                    // may be empty
  std::string mount_options;             // "rw,noatime": of this mount
  std::string super_options;             // of the file system: "rw,compress=zstd"
  std::optional<std::uint32_t> user_id;  // of a FUSE mount: whose it is

  bool ours() const { return fs_type == volt_fs_type; }
};

// The entries of a text in that layout; lines that do not fit are left out.
std::vector<MountEntry> parse_mounts(std::istream& text);

// All mounts, in the kernel's order: of several on one folder the last one is on top.
// Errors: io, not_found (no /proc).
Result<std::vector<MountEntry>> read_mounts();

// Those that another process sees; by its number. Errors: as above, permission.
Result<std::vector<MountEntry>> read_mounts_of(const std::string& process);

// The topmost mount on exactly that folder.
std::optional<MountEntry> find_mount(const std::vector<MountEntry>& mounts,
                                     const std::string& mount_point);

// Whether a file system is mounted from that block device ("/dev/loop7") or a partition of it.
bool mount_is_from(const MountEntry& mount, const std::string& device);

// Canonical path of a folder that may be a dead mount, which realpath(3) does not resolve: its
// parent is resolved instead. Errors: those of realpath.
Result<std::string> canonical_mount_point(const std::string& path);

// Unmounts a FUSE mount: umount2(2) where permitted, else fusermount3. `lazy` detaches at once even
// if files are open. Errors: busy; permission; not_found (fusermount3 missing); io.
Status unmount(const std::string& mount_point, bool lazy);

}  // namespace volt
