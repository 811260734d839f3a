#include "blockdev/named_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace volt {
namespace {

namespace fs = std::filesystem;

// What the kernel appends to the path of a name that was removed.
constexpr std::string_view deleted_mark = " (deleted)";

// NFS clients and FUSE libraries rename what is removed while it is open, and remove it at the end.
bool is_a_removed_name(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.starts_with(".nfs") || name.starts_with(".fuse_hidden");
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const fs::path found = fs::absolute(path, error);
  return error ? path : found.string();
}

}  // namespace

const char* file_state_name(FileState state) noexcept {
  switch (state) {
    case FileState::present:
      return "present";
    case FileState::moved:
      return "moved";
    case FileState::deleted:
      return "deleted";
  }
  return "present";
}

NamedFile::NamedFile(const std::string& path, int fd)
    : path_(absolute_path(path)), fd_(::fcntl(fd, F_DUPFD_CLOEXEC, 0)) {
  struct stat info {};
  const bool by_descriptor = path.starts_with("/proc/") || path.starts_with("/dev/fd/");
  watched_ = ::fstat(fd_.get(), &info) == 0 && S_ISREG(info.st_mode) && !by_descriptor;
}

FileStanding NamedFile::look() const {
  FileStanding standing;
  struct stat own {};
  if (!watched_ || ::fstat(fd_.get(), &own) != 0) return standing;
  if (own.st_nlink == 0) return {FileState::deleted, ""};
  struct stat named {};
  if (::stat(path_.c_str(), &named) == 0) {
    if (named.st_dev == own.st_dev && named.st_ino == own.st_ino) return standing;
  } else if (errno != ENOENT && errno != ENOTDIR) {
    return standing;
  }
  std::error_code ignored;
  standing.now = fs::read_symlink("/proc/self/fd/" + std::to_string(fd_.get()), ignored).string();
  standing.state = is_a_removed_name(standing.now) ? FileState::deleted : FileState::moved;
  if (standing.now.ends_with(deleted_mark)) standing.now.clear();  // it has another hard link
  return standing;
}

}  // namespace volt
