#include "daemon/fuse_errno.h"

#include <cerrno>

namespace volt {

int errno_of(const Error& error) noexcept {
  switch (error.code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::misaligned:
      return EINVAL;
    case ErrorCode::out_of_range:
      return ENOSPC;
    case ErrorCode::no_space:
      // EFBIG: making room does not help.
      return error.sys_errno == EFBIG ? EFBIG : ENOSPC;
    case ErrorCode::read_only:
      return EROFS;
    case ErrorCode::not_supported:
      return EOPNOTSUPP;
    case ErrorCode::no_memory:
      return ENOMEM;
    case ErrorCode::permission:
    case ErrorCode::refused:
      return EPERM;
    case ErrorCode::io:
    case ErrorCode::not_found:
    case ErrorCode::bad_password_or_header:
    case ErrorCode::bad_header:
    case ErrorCode::wrong_file:
    case ErrorCode::busy:
    case ErrorCode::cancelled:
    case ErrorCode::internal:
      return EIO;
  }
  return EIO;
}

}  // namespace volt
