// The mounts of this process' namespace, and taking ours away. The only reader of mount tables.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "blockdev/host/file_descriptor.h"
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

// The id of the mount that an open file or folder lies on (proc(5), fdinfo; nothing is asked of its
// file system). 0 where /proc does not tell.
std::uint64_t mount_id_of(int fd);

// A file at the root of this very mount, never of another that its path leads to by now, and never
// through a link. Waits for the mount's server as open(2) does. Errors: not_found (it is not there
// any more); those of open(2).
Result<FileDescriptor> open_in_mount(const MountEntry& mount, const char* name, int flags);

// Unmounts this very FUSE mount: umount2(2) where permitted, else fusermount3. What the path leads
// to is looked at by its mount id first, below a parent folder that is held, since whoever owns a
// folder above may have put another there. `lazy` detaches at once even if files are open.
// Errors: busy; permission; not_found (it is not there any more; fusermount3 missing); io.
Status unmount(const MountEntry& mount, bool lazy);

}  // namespace volt
