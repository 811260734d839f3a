// Exit status of every program, as cryptsetup's.
#pragma once

#include "crypto/result.h"

namespace volt {

enum ExitStatus : int {
  exit_done = 0,
  exit_wrong_parameters = 1,  // usage, or an option out of range
  exit_no_permission = 2,     // bad passphrase, or access denied
  exit_out_of_memory = 3,
  exit_wrong_device = 4,   // wrong device or file, input/output error, no space
  exit_in_use = 5,         // already open, mount point busy
  exit_interrupted = 130,  // by the user, as a shell tells SIGINT
};

constexpr ExitStatus exit_status_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::out_of_range:
    case ErrorCode::misaligned:
      return exit_wrong_parameters;
    case ErrorCode::cancelled:
      return exit_interrupted;
    case ErrorCode::permission:
    case ErrorCode::bad_password_or_header:
    case ErrorCode::refused:
      return exit_no_permission;
    case ErrorCode::no_memory:
      return exit_out_of_memory;
    case ErrorCode::io:
    case ErrorCode::no_space:
    case ErrorCode::read_only:
    case ErrorCode::not_found:
    case ErrorCode::bad_header:
    case ErrorCode::wrong_file:
    case ErrorCode::not_supported:
    case ErrorCode::internal:
      return exit_wrong_device;
    case ErrorCode::busy:
      return exit_in_use;
  }
  return exit_wrong_device;
}

}  // namespace volt
