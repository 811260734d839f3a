#include "tools/common/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "blockdev/host/file_descriptor.h"

namespace volt {
namespace {

constexpr mode_t file_mode = S_IRUSR | S_IWUSR;

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Error exists_error() {
  return {ErrorCode::io, EEXIST, "exists already; nothing that exists is overwritten", 0};
}

// Some file systems cannot sync a folder; that is no failure of ours.
Status sync_folder_of(const std::string& path) {
  const FileDescriptor folder(open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return {};  // the file is there; only the sync of its name is left out
  if (fsync(folder.get()) != 0 && errno != EINVAL && errno != EBADF) {
    return error_from_errno("cannot sync the folder", errno);
  }
  return {};
}

}  // namespace

NewFile::NewFile(std::string path, FileDescriptor fd, bool named) noexcept
    : path_(std::move(path)), fd_(std::move(fd)), named_(named) {}

NewFile::~NewFile() {
  if (fd_ && named_ && !published_) unlink(path_.c_str());
}

Result<NewFile> NewFile::create(const std::string& path) {
  struct stat existing {};
  if (lstat(path.c_str(), &existing) == 0) return exists_error();
  FileDescriptor fd(open(folder_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, file_mode));
  if (fd) return NewFile(path, std::move(fd), false);
  if (errno == EACCES || errno == ENOENT || errno == ENOTDIR || errno == EROFS) {
    return error_from_errno("cannot create", errno);
  }
  fd.reset(open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, file_mode));
  if (!fd) {
    return errno == EEXIST ? exists_error() : error_from_errno("cannot create", errno);
  }
  return NewFile(path, std::move(fd), true);
}

std::string NewFile::access_path() const {
  return "/proc/self/fd/" + std::to_string(fd_.get());
}

Status NewFile::resize(std::uint64_t bytes, bool allocate) {
  if (ftruncate(fd_.get(), static_cast<off_t>(bytes)) != 0) {
    return error_from_errno("cannot set the size", errno);
  }
  if (!allocate) return {};
  int result = 0;
  do {
    result = fallocate(fd_.get(), 0, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno != EOPNOTSUPP && errno != ENOSYS) {
    return error_from_errno("cannot reserve the space", errno);
  }
  return {};
}

Status NewFile::write(ByteSpan bytes) {
  return write_all(fd_.get(), bytes);
}

Status NewFile::publish() {
  if (fsync(fd_.get()) != 0) return error_from_errno("cannot sync", errno);
  if (!named_) {
    if (linkat(AT_FDCWD, access_path().c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      return errno == EEXIST ? exists_error() : error_from_errno("cannot name the file", errno);
    }
  }
  published_ = true;
  return sync_folder_of(path_);
}

void NewFile::retract() noexcept {
  if (published_) unlink(path_.c_str());
  published_ = false;
}

Status replace_file(const std::string& path, ByteSpan bytes) {
  std::error_code unresolved;
  const std::string target = std::filesystem::canonical(path, unresolved).string();
  struct stat info {};
  if (unresolved || stat(target.c_str(), &info) != 0) {
    return error_from_errno("cannot replace", unresolved ? unresolved.value() : errno);
  }
  if (!S_ISREG(info.st_mode)) return Error{ErrorCode::wrong_file, 0, "is not a regular file", 0};
  std::string beside = target + ".XXXXXX";
  const FileDescriptor file(mkostemp(beside.data(), O_CLOEXEC));
  if (!file) return error_from_errno("cannot create a file beside it", errno);
  const auto finish = [&]() -> Status {
    VOLT_TRY(write_all(file.get(), bytes));
    // Root keeps the owner; for others it is theirs already, or cannot be kept.
    if (fchown(file.get(), info.st_uid, info.st_gid) != 0 && errno != EPERM) {
      return error_from_errno("cannot keep the owner", errno);
    }
    if (fchmod(file.get(), info.st_mode & 07777) != 0 || fsync(file.get()) != 0 ||
        rename(beside.c_str(), target.c_str()) != 0) {
      return error_from_errno("cannot replace", errno);
    }
    return {};
  };
  const Status finished = finish();
  if (!finished.ok()) {
    unlink(beside.c_str());
    return finished;
  }
  return sync_folder_of(target);
}

Status write_all(int fd, ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return error_from_errno("cannot write", errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Result<std::uint64_t> free_bytes_beside(const std::string& path) {
  struct statvfs info {};
  if (statvfs(folder_of(path).c_str(), &info) != 0) {
    return error_from_errno("cannot read the free space", errno);
  }
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

}  // namespace volt
