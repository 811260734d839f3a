#include "blockdev/host/hardening.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstring>

namespace volt {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool traced_by_sanitizer = true;
#else
constexpr bool traced_by_sanitizer = false;
#endif

}  // namespace

void harden_process() noexcept {
  const struct rlimit none { 0, 0 };
  ::setrlimit(RLIMIT_CORE, &none);
  if (!traced_by_sanitizer) ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  struct rlimit lock {};
  if (::getrlimit(RLIMIT_MEMLOCK, &lock) == 0) {
    lock.rlim_cur = lock.rlim_max;
    ::setrlimit(RLIMIT_MEMLOCK, &lock);
  }
}

void hide_arguments(int argc, char** argv) noexcept {
  for (int i = 1; i < argc; ++i) std::memset(argv[i], 0, std::strlen(argv[i]));
}

}  // namespace volt
