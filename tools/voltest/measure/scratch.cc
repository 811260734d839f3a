#include "tools/voltest/measure/scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "tools/common/size_text.h"
#include "tools/voltest/measure/failure.h"

namespace volt {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

// A name that nobody has: O_EXCL never opens what exists.
FileDescriptor make_named(const BenchTarget& target, std::string* name) {
  *name = target.path + "/.voltest-XXXXXX";
  return FileDescriptor(::mkostemp(name->data(), O_CLOEXEC));
}

// Unlinked at once. Some network and FUSE file systems refuse that, others do not know the file any
// more afterwards (gocryptfs cannot flush it): there the target's destructor does it instead.
// O_DIRECT comes last, since a refused open may leave its new file behind.
FileDescriptor open_named(BenchTarget& target, bool direct) {
  std::string name;
  FileDescriptor fd = make_named(target, &name);
  if (!fd) return fd;
  bool linked = ::unlink(name.c_str()) != 0;
  if (!linked && ::fdatasync(fd.get()) != 0) {
    fd = make_named(target, &name);
    if (!fd) return fd;
    linked = true;
  }
  if (linked) target.linked.set(name);
  if (direct) {
    const int flags = ::fcntl(fd.get(), F_GETFL);
    if (::fcntl(fd.get(), F_SETFL, flags | O_DIRECT) != 0) target.direct = DirectState::refused;
  }
  return fd;
}

FileDescriptor open_nameless(BenchTarget& target, bool direct) {
  const int access = O_TMPFILE | O_RDWR | O_CLOEXEC;
  if (direct) {
    FileDescriptor fd(::open(target.path.c_str(), access | O_DIRECT, 0600));
    if (fd) return fd;
  }
  FileDescriptor fd(::open(target.path.c_str(), access, 0600));
  if (fd && direct) target.direct = DirectState::refused;
  if (fd || errno == ENOSPC || errno == EACCES || errno == EROFS || errno == EDQUOT) {
    return fd;
  }
  return open_named(target, direct);
}

std::uint64_t usable_bytes(const BenchTarget& target) {
  struct statvfs info {};
  if (::fstatvfs(target.fd.get(), &info) != 0) {
    throw BenchFailure(target.path, error_from_errno("asking for free space", errno));
  }
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

}  // namespace

void open_scratch(BenchTarget& target, const TargetOptions& options) {
  if (options.read_only) {
    throw BenchFailure(target.path,
                       "a folder needs a new file to be measured, which --read-only forbids; name "
                       "a file, a device or a voltd mount",
                       exit_wrong_parameters);
  }
  target.fd = open_nameless(target, options.direct);
  if (!options.direct) target.direct = DirectState::not_asked;
  if (!target.fd) {
    throw BenchFailure(target.path, error_from_errno("making a test file in it", errno));
  }
  target.writable = true;
  target.scratch = true;
  const std::uint64_t free_bytes = usable_bytes(target);
  target.range_bytes = options.size_bytes;
  if (free_bytes / 10 * 9 < options.size_bytes) {
    target.range_bytes = free_bytes / 10 * 9 / mebibyte * mebibyte;
    if (target.range_bytes < options.min_bytes) {
      throw BenchFailure(target.path,
                         fmt::format("{} are free, these tests need {} and leave a tenth",
                                     format_size(free_bytes), format_size(options.min_bytes)),
                         exit_wrong_device);
    }
    target.note(fmt::format("the test file has {} instead of {}: only {} are free",
                            format_size(target.range_bytes), format_size(options.size_bytes),
                            format_size(free_bytes)));
  }
  target.size_bytes = target.range_bytes;
  // Where a file system cannot allocate ahead, filling the file does it.
  if (::fallocate(target.fd.get(), 0, 0, static_cast<off_t>(target.range_bytes)) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    throw BenchFailure(target.path, error_from_errno("allocating the test file", errno));
  }
}

}  // namespace volt
