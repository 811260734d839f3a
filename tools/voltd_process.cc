#include "tools/voltd_process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>

extern char** environ;

namespace volt {
namespace {

constexpr Error not_there{ErrorCode::not_found, ENOENT, "cannot find the daemon voltd", 0};

bool is_program(const std::string& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

// The folder of the running program, or empty.
std::string own_folder() {
  std::array<char, PATH_MAX> link{};
  const ssize_t length = ::readlink("/proc/self/exe", link.data(), link.size());
  if (length <= 0 || static_cast<std::size_t>(length) == link.size()) return {};
  const std::string path(link.data(), static_cast<std::size_t>(length));
  return path.substr(0, path.rfind('/'));
}

// Ignores the terminal's interrupts for its lifetime; the child gets the old dispositions back.
class InterruptGuard {
 public:
  InterruptGuard() noexcept {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &old_interrupt_);
    ::sigaction(SIGQUIT, &ignore, &old_quit_);
  }
  ~InterruptGuard() {
    ::sigaction(SIGINT, &old_interrupt_, nullptr);
    ::sigaction(SIGQUIT, &old_quit_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // Signals that the child resets to their defaults: those that this process did not ignore.
  sigset_t to_reset() const noexcept {
    sigset_t set;
    sigemptyset(&set);
    if (old_interrupt_.sa_handler != SIG_IGN) sigaddset(&set, SIGINT);
    if (old_quit_.sa_handler != SIG_IGN) sigaddset(&set, SIGQUIT);
    return set;
  }

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_quit_ {};
};

}  // namespace

Result<std::string> find_voltd() {
  if (const char* named = std::getenv("VOLT_VOLTD"); named != nullptr && *named != '\0') {
    if (is_program(named)) return std::string(named);
    return not_there;
  }
  const std::string folder = own_folder();
  if (!folder.empty()) {
    for (const char* relative : {"/voltd", "/../daemon/voltd"}) {
      if (is_program(folder + relative)) return folder + relative;
    }
  }
  return std::string("voltd");
}

Result<int> run_voltd(const std::string& path, const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  argv.push_back(const_cast<char*>(path.c_str()));
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  const InterruptGuard guard;
  const sigset_t reset = guard.to_reset();
  posix_spawnattr_t attributes;
  if (const int code = ::posix_spawnattr_init(&attributes); code != 0) {
    return error_from_errno("cannot start voltd", code);
  }
  ::posix_spawnattr_setsigdefault(&attributes, &reset);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int code = ::posix_spawnp(&child, path.c_str(), nullptr, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (code != 0) return error_from_errno("cannot start voltd", code);

  int state = 0;
  while (::waitpid(child, &state, 0) < 0) {
    if (errno != EINTR) return error_from_errno("waiting for voltd", errno);
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

}  // namespace volt
