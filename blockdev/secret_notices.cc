#include "blockdev/secret_notices.h"

#include <array>

namespace volt {
namespace {

bool holds(ByteSpan bytes, std::uint8_t wanted) noexcept {
  unsigned found = 0;
  for (const std::uint8_t byte : bytes) found |= static_cast<unsigned>(byte == wanted);
  return found != 0;
}

bool begins_with_mark(ByteSpan bytes) noexcept {
  constexpr std::array<std::uint8_t, 3> utf8 = {0xEF, 0xBB, 0xBF};
  if (bytes.size() >= 3 && bytes[0] == utf8[0] && bytes[1] == utf8[1] && bytes[2] == utf8[2]) {
    return true;
  }
  return bytes.size() >= 2 && ((bytes[0] == 0xFF && bytes[1] == 0xFE) ||
                               (bytes[0] == 0xFE && bytes[1] == 0xFF));  // UTF-16
}

}  // namespace

std::string untypable_text(ByteSpan password) {
  const struct {
    bool there;
    const char* what;
  } findings[] = {{begins_with_mark(password), "begins with a byte-order mark"},
                  {holds(password, '\n'), "holds a line break"},
                  {holds(password, '\r'), "holds a carriage return"},
                  {holds(password, 0), "holds a NUL byte"}};
  std::string text;
  for (const auto& finding : findings) {
    if (!finding.there) continue;
    text += (text.empty() ? "" : " and ") + std::string(finding.what);
  }
  return text;
}

bool others_may_read(const struct stat& info) noexcept {
  return S_ISREG(info.st_mode) && (info.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

}  // namespace volt
