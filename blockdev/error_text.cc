#include "blockdev/error_text.h"

#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

namespace volt {
namespace {

// A file may be too large for the file system, or for a limit that somebody has set.
std::string file_size_limit() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return " (files are limited to " + std::to_string(limit.rlim_cur) + " bytes here: see ulimit -f)";
}

std::string signal_text(std::uint64_t number) {
  const char* name = number < NSIG ? sigabbrev_np(static_cast<int>(number)) : nullptr;
  std::string text = std::to_string(number);
  if (name != nullptr) text += " (SIG" + std::string(name) + ")";
  return text;
}

void put_in(std::string* text, std::string_view mark, const std::string& value) {
  const std::size_t at = text->find(mark);
  if (at != std::string::npos) text->replace(at, mark.size(), value);
}

// Whether `text` says at its end already what `reason` says.
bool says_already(std::string_view text, std::string_view reason) {
  if (text.size() < reason.size()) return false;
  text.remove_prefix(text.size() - reason.size());
  return std::equal(text.begin(), text.end(), reason.begin(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

}  // namespace

std::string context_text(const Error& error) {
  std::string text = error.context != nullptr ? error.context : "";
  put_in(&text, "{}", std::to_string(error.detail));
  put_in(&text, "{signal}", signal_text(error.detail));
  return text;
}

std::string error_text(const Error& error) {
  std::string text = context_text(error);
  std::string reason = error.sys_errno != 0
                           ? std::generic_category().message(error.sys_errno)
                           : std::string(text.empty() ? error_code_name(error.code) : "");
  if (error.sys_errno == EFBIG) reason += file_size_limit();
  if (text.empty()) return reason;
  return says_already(text, reason) ? text : text + ": " + reason;
}

}  // namespace volt
