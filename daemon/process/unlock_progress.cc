#include "daemon/process/unlock_progress.h"

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

}  // namespace

UnlockProgress::UnlockProgress() noexcept : terminal_(::isatty(STDERR_FILENO) == 1) {}

void UnlockProgress::show(const std::string& what, double fraction) noexcept {
  if (!terminal_) return;
  std::array<char, 160> line{};
  const int length =
      std::snprintf(line.data(), line.size(), "%sTrying %.100s ... %d %%", clear_line, what.c_str(),
                    static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100));
  if (length > 0) put(line.data(), std::min(static_cast<std::size_t>(length), line.size() - 1));
  shown_ = true;
}

void UnlockProgress::clear() noexcept {
  if (shown_) put(clear_line, 4);
  shown_ = false;
}

}  // namespace volt
