#include "blockdev/host/mount_table.h"

#include <sys/mount.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "blockdev/host/child.h"

namespace volt {
namespace {

// Undoes the kernel's \040 for blanks, tabs, newlines and backslashes.
std::string unescape(std::string_view text) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) &&
        octal(text[i + 3])) {
      const int value = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      out.push_back(static_cast<char>(value));
      i += 3;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

// Only blanks divide: a source may be empty, and other white space (a carriage return in a name) is
// not escaped.
std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = line.find(' ');
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

template <typename Number>
bool parse_number(std::string_view text, Number* value) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, *value);
  return parsed.ec == std::errc{} && parsed.ptr == end;
}

// The number in "rw,user_id=1000,group_id=1000", where there is one.
std::optional<std::uint32_t> user_id_of(std::string_view options) {
  constexpr std::string_view key = "user_id=";
  const std::size_t at = options.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  options.remove_prefix(at + key.size());
  std::uint32_t value = 0;
  if (!parse_number(options.substr(0, options.find(',')), &value)) return std::nullopt;
  return value;
}

// "36 35 98:0 /root /mount/point options optional... - type source super-options"
bool parse_line(std::string_view line, MountEntry* entry) {
  const auto fields = split(line);
  constexpr std::size_t first_optional = 6;
  if (fields.size() < first_optional) return false;
  const auto dash = std::find(fields.begin() + first_optional, fields.end(), "-");
  if (fields.end() - dash < 4) return false;
  const std::string_view device = fields[2];
  const std::size_t colon = device.find(':');
  if (colon == std::string_view::npos || !parse_number(fields[0], &entry->id) ||
      !parse_number(device.substr(0, colon), &entry->major) ||
      !parse_number(device.substr(colon + 1), &entry->minor)) {
    return false;
  }
  entry->mount_point = unescape(fields[4]);
  entry->mount_options = fields[5];
  entry->fs_type = unescape(dash[1]);
  entry->source = unescape(dash[2]);
  entry->super_options = dash[3];
  entry->user_id = user_id_of(dash[3]);
  return true;
}

// Its exit status tells no reasons; the first line or so of what it says tells them apart.
Error fusermount_error(const std::string& complaint) {
  const auto says = [&complaint](const char* word) {
    return complaint.find(word) != std::string::npos;
  };
  if (says("busy")) return {ErrorCode::busy, EBUSY, "unmount", 0};
  if (says("/etc/mtab")) {
    return {ErrorCode::not_found, 0,
            "fusermount3 wants /etc/mtab, which is missing: make it a link to /proc/self/mounts",
            0};
  }
  if (says("permitted")) return {ErrorCode::permission, EPERM, "unmount", 0};
  return {ErrorCode::io, 0, "fusermount3 could not unmount it", 0};
}

Status run_fusermount(const std::string& mount_point, bool lazy) {
  ChildRequest request;
  request.argv = {"fusermount3", "-u", lazy ? "-z" : "--", mount_point};
  request.errors = ChildOutput::captured;
  const auto ran = run_child(request);
  if (!ran) {
    Error error = ran.error();
    error.context = "cannot start fusermount3";
    return error;
  }
  return ran->end.ok() ? Status{} : fusermount_error(ran->errors);
}

}  // namespace

std::vector<MountEntry> parse_mounts(std::istream& text) {
  std::vector<MountEntry> mounts;
  std::string line;
  while (std::getline(text, line)) {
    MountEntry entry;
    if (parse_line(line, &entry)) mounts.push_back(std::move(entry));
  }
  return mounts;
}

Result<std::vector<MountEntry>> read_mounts() {
  return read_mounts_of("self");
}

Result<std::vector<MountEntry>> read_mounts_of(const std::string& process) {
  std::ifstream file("/proc/" + process + "/mountinfo");
  if (!file) return error_from_errno("cannot read the mount table in /proc", errno);
  return parse_mounts(file);
}

std::optional<MountEntry> find_mount(const std::vector<MountEntry>& mounts,
                                     const std::string& mount_point) {
  for (auto entry = mounts.rbegin(); entry != mounts.rend(); ++entry) {
    if (entry->mount_point == mount_point) return *entry;
  }
  return std::nullopt;
}

bool mount_is_from(const MountEntry& mount, const std::string& device) {
  if (!mount.source.starts_with(device)) return false;
  std::string_view rest = std::string_view(mount.source).substr(device.size());
  if (rest.empty()) return true;
  if (rest.size() < 2 || rest.front() != 'p') return false;
  rest.remove_prefix(1);
  return rest.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<std::string> canonical_mount_point(const std::string& path) {
  std::array<char, PATH_MAX> resolved{};
  if (::realpath(path.c_str(), resolved.data()) != nullptr) return std::string(resolved.data());
  if (errno != ENOTCONN && errno != EACCES && errno != EIO) return error_from_errno("", errno);
  const int reason = errno;
  std::string trimmed = path;
  while (trimmed.size() > 1 && trimmed.back() == '/') trimmed.pop_back();
  const std::size_t slash = trimmed.rfind('/');
  const std::string name = slash == std::string::npos ? trimmed : trimmed.substr(slash + 1);
  const std::string parent = slash == std::string::npos ? "." : trimmed.substr(0, slash + 1);
  if (name.empty() || name == "." || name == "..") return error_from_errno("", reason);
  if (::realpath(parent.c_str(), resolved.data()) == nullptr) return error_from_errno("", errno);
  std::string canonical = resolved.data();
  if (canonical.back() != '/') canonical += '/';
  return canonical + name;
}

std::uint64_t mount_id_of(int fd) {
  std::ifstream info("/proc/self/fdinfo/" + std::to_string(fd));
  for (std::string word; info >> word;) {
    std::uint64_t id = 0;
    if (word == "mnt_id:" && info >> id) return id;
  }
  return 0;
}

Result<FileDescriptor> open_in_mount(const MountEntry& mount, const char* name, int flags) {
  const FileDescriptor root(::open(mount.mount_point.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return error_from_errno("", errno);
  if (mount_id_of(root.get()) != mount.id) {
    return Error{ErrorCode::not_found, ENOENT, "it is not mounted there any more", 0};
  }
  FileDescriptor file(
      ::openat(root.get(), name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return error_from_errno("", errno);
  if (mount_id_of(file.get()) != mount.id) {
    return Error{ErrorCode::not_found, ENOENT, "another mount is on it", 0};
  }
  return file;
}

Status unmount(const MountEntry& mount, bool lazy) {
  const std::size_t slash = mount.mount_point.rfind('/');
  if (slash == std::string::npos) return Error{ErrorCode::not_found, EINVAL, "unmount", 0};
  const std::string name = mount.mount_point.substr(slash + 1);
  const FileDescriptor parent(::open(slash == 0 ? "/" : mount.mount_point.substr(0, slash).c_str(),
                                     O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!parent) return error_from_errno("unmount", errno);
  {
    const FileDescriptor root(
        ::openat(parent.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!root) return error_from_errno("unmount", errno);
    if (mount_id_of(root.get()) != mount.id) {
      return Error{ErrorCode::not_found, EINVAL, "it is not mounted there any more", 0};
    }
  }  // a descriptor of it would keep it busy; a mount point cannot be renamed
  const std::string held = "/proc/self/fd/" + std::to_string(parent.get()) + "/" + name;
  if (::umount2(held.c_str(), UMOUNT_NOFOLLOW | (lazy ? MNT_DETACH : 0)) == 0) return {};
  if (errno != EPERM) return error_from_errno("unmount", errno);
  return run_fusermount(mount.mount_point, lazy);
}

}  // namespace volt
