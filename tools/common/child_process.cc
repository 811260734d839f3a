#include "tools/common/child_process.h"

#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "blockdev/host/file_descriptor.h"
#include "blockdev/host/process_signals.h"

extern char** environ;

namespace volt {
namespace {

// The input as a file without a name; nothing of it reaches a disk.
Result<FileDescriptor> input_file(ByteSpan input) {
  FileDescriptor fd(::memfd_create("input", MFD_CLOEXEC));
  if (!fd) return error_from_errno("handing over the input", errno);
  if (::write(fd.get(), input.data(), input.size()) != static_cast<ssize_t>(input.size()) ||
      ::lseek(fd.get(), 0, SEEK_SET) != 0) {
    return error_from_errno("handing over the input", errno);
  }
  return fd;
}

class FileActions {
 public:
  FileActions() noexcept { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  void duplicate(int from, int to) noexcept {
    ::posix_spawn_file_actions_adddup2(&actions_, from, to);
  }
  const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

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

Result<int> spawn_and_wait(const std::vector<std::string>& arguments,
                           const posix_spawn_file_actions_t* actions,
                           const SpawnAttributes& attributes) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not write to it
  }
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, argv[0], actions, attributes.get(), argv.data(), environ);
  if (error != 0) return error_from_errno("starting the program", error);
  const auto ended = wait_for_child(child, std::chrono::milliseconds(-1));
  if (!ended) return ended.error();
  return **ended;
}

}  // namespace

Result<int> run_program(const std::vector<std::string>& arguments) {
  const InterruptGuard guard;
  SpawnAttributes attributes;
  attributes.reset(guard.to_reset());
  return spawn_and_wait(arguments, nullptr, attributes);
}

Result<int> run_with_input(const std::vector<std::string>& arguments, ByteSpan input) {
  auto in = input_file(input);
  if (!in) return in.error();
  FileActions actions;
  actions.duplicate(in->get(), STDIN_FILENO);
  actions.duplicate(STDERR_FILENO, STDOUT_FILENO);
  return spawn_and_wait(arguments, actions.get(), SpawnAttributes());
}

Result<std::optional<int>> wait_for_child(pid_t child, std::chrono::milliseconds limit) {
  const bool for_ever = limit.count() < 0;
  const auto end = std::chrono::steady_clock::now() + limit;
  // A descriptor of the child wakes at once; old kernels have none, and are asked again and again.
  const FileDescriptor watched(for_ever ? -1
                                        : static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, for_ever ? 0 : WNOHANG);
    if (ended == child) {
      return std::optional(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    if (ended < 0 && errno != EINTR) return error_from_errno("waiting for the program", errno);
    if (for_ever) continue;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::optional<int>();
    pollfd ready{watched.get(), POLLIN, 0};
    constexpr long again_ms = 10;
    ::poll(&ready, watched ? 1 : 0,
           static_cast<int>(watched ? left.count() : std::min(again_ms, left.count())));
  }
}

std::string sibling_program(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {".", "../tools", "../daemon"}) {
    const fs::path path = folder / place / name;
    if (fs::is_regular_file(path, error)) return path.lexically_normal().string();
  }
  return name;
}

Result<std::string> find_voltd() {
  const char* named = std::getenv("VOLT_VOLTD");
  if (named == nullptr || *named == '\0') return sibling_program("voltd");
  if (::access(named, X_OK) == 0) return std::string(named);
  return Error{ErrorCode::not_found, ENOENT, "cannot find the daemon voltd", 0};
}

}  // namespace volt
