#include "tools/common/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <fmt/core.h>

#include "blockdev/host/printable_text.h"
#include "tools/common/size_text.h"

namespace volt {
namespace {

constexpr std::uint64_t interval_ns = 100'000'000;

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1), start_ns_(now_ns()) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(const std::string& text) {
  if (!terminal_) return;
  const std::uint64_t now = now_ns();
  if (last_ns_ != 0 && now - last_ns_ < interval_ns) return;
  last_ns_ = now;
  shown_ = true;
  std::fputs(fmt::format("\r\x1b[K{:.{}}", printable(text), terminal_columns() - 1).c_str(),
             stderr);
  std::fflush(stderr);
}

void ProgressLine::show_bytes(const std::string& what, std::uint64_t done, std::uint64_t total) {
  if (!terminal_ || total == 0) return;
  const double seconds = static_cast<double>(now_ns() - start_ns_) * 1e-9;
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const double left = rate > 0 ? static_cast<double>(total - done) / rate : 0;
  show(fmt::format(
      "{}: {} %, {}, {:.0f} s left", what,
      static_cast<unsigned>(100.0 * static_cast<double>(done) / static_cast<double>(total)),
      format_rate(rate), left));
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
  last_ns_ = 0;
}

}  // namespace volt
