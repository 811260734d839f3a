#include "daemon/process/hardening.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "blockdev/host/hardening.h"

#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57
#endif

namespace volt {

mode_t harden_daemon() noexcept {
  const mode_t umask_before = ::umask(077);
  harden_process();
  ::prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);
  return umask_before;
}

void close_inherited(std::vector<int> kept) noexcept {
  std::sort(kept.begin(), kept.end());
  unsigned from = STDERR_FILENO + 1;
  for (const int fd : kept) {
    const auto number = static_cast<unsigned>(fd);
    if (fd < 0 || number < from) continue;
    if (number > from) ::close_range(from, number - 1, 0);
    from = number + 1;
  }
  ::close_range(from, ~0U, 0);
}

}  // namespace volt
