#include "blockdev/planned_io.h"

#include <cerrno>

namespace volt {

Error failed_transfer(bool write, int sys_errno, std::uint64_t offset) noexcept {
  if (sys_errno == 0) {
    return {ErrorCode::io, 0,
            write ? "write made no progress" : "the file is shorter than when it was opened",
            offset};
  }
  Error error = error_from_errno(write ? "write" : "read", sys_errno);
  if (!write || error.code != ErrorCode::no_space) error.code = ErrorCode::io;
  error.detail = offset;
  return error;
}

bool TransferProgress::go_on(const PlannedIo& io, int result) noexcept {
  if (result == -EINTR || result == -EAGAIN) return true;
  if (result < 0) errno_ = -result;
  if (result <= 0) return false;
  done_bytes_ += static_cast<std::size_t>(result);
  return done_bytes_ < io.memory.size();
}

Result<std::size_t> TransferProgress::outcome(const PlannedIo& io) const noexcept {
  if (errno_ != 0) return failed_transfer(io.write, errno_, io.offset + done_bytes_);
  return done_bytes_;
}

}  // namespace volt
