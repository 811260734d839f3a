#include "blockdev/host/unlock_progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace volt {
namespace {

constexpr const char* clear_line = "\r\033[K";

void put(const char* text, std::size_t length) noexcept {
  const ssize_t written = ::write(STDERR_FILENO, text, length);
  static_cast<void>(written);  // a picture only
}

int columns() noexcept {
  struct winsize size {};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return known ? size.ws_col : 80;
}

}  // namespace

UnlockProgress::UnlockProgress() noexcept : terminal_(::isatty(STDERR_FILENO) == 1) {}

void UnlockProgress::show(const std::string& what, double fraction) noexcept {
  if (!terminal_) return;
  constexpr int around_text = 8;  // ": 100 %" and the cursor
  std::array<char, 160> line{};
  const int length = std::snprintf(line.data(), line.size(), "%s%.*s: %d %%", clear_line,
                                   std::clamp(columns() - around_text, 0, 140), what.c_str(),
                                   static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100));
  if (length > 0) put(line.data(), std::min(static_cast<std::size_t>(length), line.size() - 1));
  shown_ = true;
}

void UnlockProgress::clear() noexcept {
  if (shown_) put(clear_line, 4);
  shown_ = false;
}

}  // namespace volt
