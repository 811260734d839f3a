#include "tools/bench_failure.h"

#include <cerrno>
#include <system_error>

#include "blockdev/error_text.h"

namespace volt {
namespace {

const char* meaning_of(int sys_errno) {
  switch (sys_errno) {
    case ENOSPC:
    case EDQUOT:
      return " (the target, or what lies below it, is full)";
    case EROFS:
      return " (it can only be read: name an existing file on it and --read-only)";
    case ENOTCONN:
    case ECONNABORTED:
    case ENODEV:
    case ENXIO:
    case ESHUTDOWN:
      return " (the mount or device has gone)";
    default:
      return "";
  }
}

}  // namespace

std::string describe_error(const Error& error) {
  std::string text = context_text(error);
  if (error.detail != 0 && text == error.context)
    text += " at offset " + std::to_string(error.detail);
  if (error.sys_errno != 0) {
    text += ": " + std::generic_category().message(error.sys_errno) + meaning_of(error.sys_errno);
  } else if (text.empty()) {
    text = error_code_name(error.code);
  }
  return text;
}

BenchFailure::BenchFailure(const std::string& what, const Error& error)
    : BenchFailure(what, describe_error(error), exit_status_of(error.code)) {}

}  // namespace volt
