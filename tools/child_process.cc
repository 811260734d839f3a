#include "tools/child_process.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "tools/unique_fd.h"

extern char** environ;

namespace volt {
namespace {

// The input as a file without a name; nothing of it reaches a disk.
Result<UniqueFd> input_file(ByteSpan input) {
  UniqueFd fd(::memfd_create("input", MFD_CLOEXEC));
  if (!fd.valid()) return error_from_errno("handing over the input", errno);
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

}  // namespace

Result<int> run_child(const std::vector<std::string>& arguments, ByteSpan input) {
  auto in = input_file(input);
  if (!in) return in.error();
  FileActions actions;
  actions.duplicate(in->get(), STDIN_FILENO);
  actions.duplicate(STDERR_FILENO, STDOUT_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not write to it
  }
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], actions.get(), nullptr, argv.data(), environ);
  if (error != 0) return error_from_errno("starting the program", error);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return error_from_errno("waiting for the program", errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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

}  // namespace volt
