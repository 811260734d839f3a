#include "daemon/serve/log.h"

#include <syslog.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "blockdev/host/printable_text.h"

namespace volt {
namespace {

std::string& program_name() noexcept {
  static std::string name = "voltd";
  return name;
}

std::atomic<bool> syslog_chosen{false};

// One write(2), so that lines of several threads or processes do not mix.
void write_line(int priority, const std::string& text) noexcept {
  try {
    std::string line = printable(text);
    if (syslog_chosen.load(std::memory_order_acquire)) {
      ::syslog(priority, "%s", line.c_str());
      return;
    }
    line = program_name() + ": " + line + "\n";
    const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    static_cast<void>(written);  // there is nowhere to report it to
  } catch (...) {                // out of memory: a message is lost, not the volume
  }
}

}  // namespace

void start_log(const std::string& program) noexcept {
  try {
    program_name() = program;
  } catch (...) {  // keeps the default
  }
}

const std::string& log_program() noexcept {
  return program_name();
}

void log_to_syslog() noexcept {
  ::openlog("voltd", LOG_PID, LOG_DAEMON);
  syslog_chosen.store(true, std::memory_order_release);
}

void log_error(const std::string& text) noexcept {
  write_line(LOG_ERR, text);
}
void log_notice(const std::string& text) noexcept {
  write_line(LOG_NOTICE, text);
}

}  // namespace volt
