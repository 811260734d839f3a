// The only writers of errors and notices of `volt`.
#pragma once

#include <string>

#include "blockdev/host/exit_status.h"
#include "blockdev/host/outcome.h"

namespace volt {

// Prints "volt: what: why" on standard error, one line whatever `why` holds; returns `status`.
int report_failure(const std::string& what, const std::string& why, ExitStatus status);

// The same, with the hints in lines of their own.
int report_failure(const Failure& failure);

// Prints "volt: text" on standard error.
void report_notice(const std::string& text);

}  // namespace volt
