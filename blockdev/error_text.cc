#include "blockdev/error_text.h"

#include <system_error>

namespace volt {

std::string error_text(const Error& error) {
  std::string text = error.context != nullptr ? error.context : "";
  std::string reason = error.sys_errno != 0
                           ? std::generic_category().message(error.sys_errno)
                           : std::string(text.empty() ? error_code_name(error.code) : "");
  if (text.empty()) return reason;
  return reason.empty() ? text : text + ": " + reason;
}

}  // namespace volt
