#include "daemon/process/hardening.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57
#endif

namespace volt {

mode_t harden_process() noexcept {
  const mode_t umask_before = ::umask(077);
  const struct rlimit none { 0, 0 };
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  struct rlimit lock {};
  if (::getrlimit(RLIMIT_MEMLOCK, &lock) == 0) {
    lock.rlim_cur = lock.rlim_max;
    ::setrlimit(RLIMIT_MEMLOCK, &lock);
  }
  ::prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);
  return umask_before;
}

}  // namespace volt
