#include "crypto/base/result.h"

#include <cerrno>

namespace volt {

const char* error_code_name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid argument";
    case ErrorCode::out_of_range:
      return "out of range";
    case ErrorCode::misaligned:
      return "misaligned";
    case ErrorCode::io:
      return "input/output error";
    case ErrorCode::no_space:
      return "no space left";
    case ErrorCode::read_only:
      return "read-only";
    case ErrorCode::not_supported:
      return "not supported";
    case ErrorCode::not_found:
      return "not found";
    case ErrorCode::permission:
      return "permission denied";
    case ErrorCode::no_memory:
      return "out of memory";
    case ErrorCode::bad_password_or_header:
      return "wrong password or not a volume";
    case ErrorCode::bad_header:
      return "damaged or absurd header";
    case ErrorCode::wrong_file:
      return "wrong file or device";
    case ErrorCode::busy:
      return "in use";
    case ErrorCode::refused:
      return "refused by hidden-volume protection";
    case ErrorCode::cancelled:
      return "interrupted";
    case ErrorCode::internal:
      return "internal error";
  }
  return "unknown";
}

Error error_from_errno(const char* context, int sys_errno) noexcept {
  ErrorCode code = ErrorCode::io;
  switch (sys_errno) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      code = ErrorCode::no_space;
      break;
    case EROFS:
      code = ErrorCode::read_only;
      break;
    case EACCES:
    case EPERM:
      code = ErrorCode::permission;
      break;
    case ENOENT:
    case ENOTDIR:
      code = ErrorCode::not_found;
      break;
    case ENOMEM:
      code = ErrorCode::no_memory;
      break;
    case EBUSY:
    case EAGAIN:
    case ETXTBSY:
      code = ErrorCode::busy;
      break;
    case EINVAL:
      code = ErrorCode::invalid_argument;
      break;
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
      code = ErrorCode::wrong_file;
      break;
    case EOPNOTSUPP:
    case ENOSYS:
      code = ErrorCode::not_supported;
      break;
    case EINTR:
      code = ErrorCode::cancelled;
      break;
    default:
      break;
  }
  return {code, sys_errno, context, 0};
}

}  // namespace volt
