#include "crypto/base/random.h"

#include <cerrno>

#include <sys/random.h>

namespace volt {

Status random_bytes(MutableByteSpan out) noexcept {
  while (!out.empty()) {
    const ssize_t got = getrandom(out.data(), out.size(), 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      return Error{ErrorCode::io, errno, "getrandom", 0};
    }
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace volt
