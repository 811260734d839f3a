#include "tools/common/report.h"

#include <cstdio>

#include "blockdev/host/printable_text.h"

namespace volt {
int report_failure(const std::string& what, const std::string& why, ExitStatus status) {
  report_notice(what + ": " + why);
  return status;
}

int report_failure(const Failure& failure) {
  report_failure(failure.what, failure.why, failure.status);
  for (const std::string& hint : failure.hints) report_notice(hint);
  return failure.status;
}

void report_notice(const std::string& text) {
  // Not fmt::print, which throws where standard error cannot be written: the exit status still
  // tells.
  std::fputs(("volt: " + printable(text) + "\n").c_str(), stderr);
}

}  // namespace volt
