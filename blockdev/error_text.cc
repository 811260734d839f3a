#include "blockdev/error_text.h"

#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace volt {
namespace {

// A file may be too large for the file system, or for a limit that somebody has set.
std::string file_size_limit() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return " (files are limited to " + std::to_string(limit.rlim_cur) + " bytes here: see ulimit -f)";
}

}  // namespace

std::string error_text(const Error& error) {
  std::string text = error.context != nullptr ? error.context : "";
  std::string reason = error.sys_errno != 0
                           ? std::generic_category().message(error.sys_errno)
                           : std::string(text.empty() ? error_code_name(error.code) : "");
  if (error.sys_errno == EFBIG) reason += file_size_limit();
  if (text.empty()) return reason;
  return reason.empty() ? text : text + ": " + reason;
}

}  // namespace volt
