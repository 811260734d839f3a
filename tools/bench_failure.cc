#include "tools/bench_failure.h"

#include <system_error>

namespace volt {

std::string describe_error(const Error& error) {
  std::string text = error.context;
  if (error.detail != 0) text += " at offset " + std::to_string(error.detail);
  if (error.sys_errno != 0) {
    text += ": " + std::generic_category().message(error.sys_errno);
  } else if (text.empty()) {
    text = error_code_name(error.code);
  }
  return text;
}

BenchFailure::BenchFailure(const std::string& what, const Error& error)
    : BenchFailure(what, describe_error(error), exit_status_of(error.code)) {}

}  // namespace volt
