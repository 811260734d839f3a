#include "tools/fd_device.h"

#include <unistd.h>

#include <cerrno>

namespace volt {

Status FdDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t moved =
        ::pread(fd_, buffer.data() + done, buffer.size() - done, static_cast<off_t>(offset + done));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return error_from_errno("reading", errno);
    if (moved == 0) return Error{ErrorCode::io, 0, "reading: the file has become shorter", offset};
    done += static_cast<std::size_t>(moved);
  }
  return {};
}

Status FdDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t moved = ::pwrite(fd_, buffer.data() + done, buffer.size() - done,
                                   static_cast<off_t>(offset + done));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return error_from_errno("writing", errno);
    if (moved == 0) return Error{ErrorCode::io, 0, "writing: nothing was taken", offset};
    done += static_cast<std::size_t>(moved);
  }
  return {};
}

Status FdDevice::do_flush() noexcept {
  while (::fdatasync(fd_) != 0) {
    if (errno != EINTR) return error_from_errno("flushing", errno);
  }
  return {};
}

}  // namespace volt
