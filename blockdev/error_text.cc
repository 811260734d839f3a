#include "blockdev/error_text.h"

#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace volt {
namespace {

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) {
    if (!out.empty()) out += ", ";
    out += item;
  }
  return out;
}

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

std::string unlock_error_text(const Error& error, const UnlockReport& report) {
  std::string text;
  if (error.code == ErrorCode::bad_password_or_header) {
    text = error_code_name(error.code);
  } else {
    text = error_text(error);
  }
  if (error.code == ErrorCode::bad_header) {
    text = std::string(error_code_name(error.code)) + ": " + text + " is " +
           std::to_string(error.detail);
  }
  if (!report.header_problem.empty()) text += "; " + report.header_problem;
  if (error.code == ErrorCode::bad_password_or_header) {
    if (!report.tried.empty()) text += "; tried " + joined(report.tried);
    if (!report.skipped.empty()) text += "; not tried: " + joined(report.skipped);
  }
  return text;
}

}  // namespace volt
