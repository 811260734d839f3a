// The only writer of the daemon's messages: standard error first, syslog once it is on its own.
// Never holds secrets; callers pass none. Thread-safe after start_log().
#pragma once

#include <string>

namespace volt {

// `program` precedes every line on standard error ("voltd", or "volt" when started by it).
void start_log(const std::string& program) noexcept;
const std::string& log_program() noexcept;
// From now on to syslog(3), facility daemon.
void log_to_syslog() noexcept;

void log_error(const std::string& text) noexcept;
void log_notice(const std::string& text) noexcept;

}  // namespace volt
