#include "blockdev/error_text.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstring>
#include <string_view>
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
  if (text.empty()) return reason;
  return says_already(text, reason) ? text : text + ": " + reason;
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
