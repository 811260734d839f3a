#include "blockdev/host/password_source.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "blockdev/host/bounded_wait.h"
#include "blockdev/host/file_descriptor.h"
#include "blockdev/host/process_signals.h"
#include "blockdev/host/secret_notices.h"
#include "blockdev/host/tty_prompt.h"

namespace volt {
namespace {

constexpr std::size_t max_bytes = max_read_password_bytes;
constexpr int command_patience_ms = 5000;  // to end, once its output has ended

using Notices = std::vector<std::string>;

Error too_long() noexcept {
  return Error{ErrorCode::invalid_argument, 0,
               "longer than {} bytes, the longest that volumes have", max_bytes};
}

enum class Newline : std::uint8_t { keep, drop_one };

// Up to end of file. One byte too many is enough to know that a password is too long.
Result<SecureBuffer> read_to_end(int fd, Newline newline, const char* context) {
  auto buffer = SecureBuffer::create(max_bytes + 3);
  if (!buffer) return buffer;
  std::size_t length = 0;
  while (length < buffer->size()) {
    const ssize_t got = read(fd, buffer->data() + length, buffer->size() - length);
    if (got < 0) {
      if (errno == EINTR) continue;
      return error_from_errno(context, errno);
    }
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  if (length == buffer->size()) return too_long();
  if (newline == Newline::drop_one && length > 0 && buffer->data()[length - 1] == '\n') {
    --length;
    if (length > 0 && buffer->data()[length - 1] == '\r') --length;
  }
  if (length > max_bytes) return too_long();
  buffer->shrink(length);
  return buffer;
}

void tell_if_others_read(int fd, const std::string& name, Notices* notices) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || !others_may_read(info)) return;
  notices->push_back("password: " + name +
                     ": its permissions let others read it; chmod 600 leaves it to you alone");
}

Result<SecureBuffer> read_file(const std::string& path, Notices* notices) {
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return error_from_errno("cannot open the password file", errno);
  tell_if_others_read(fd.get(), path, notices);
  return read_to_end(fd.get(), Newline::drop_one, "cannot read the password file");
}

Result<SecureBuffer> read_standard_input(const char* prompt, Notices* notices) {
  // A person at a terminal is asked as usual, so that the password does not show.
  if (isatty(STDIN_FILENO) != 0) return prompt_hidden(prompt, max_bytes);
  tell_if_others_read(STDIN_FILENO, "the file on standard input", notices);
  return read_to_end(STDIN_FILENO, Newline::drop_one,
                     "cannot read the password from standard input");
}

// Starts `/bin/sh -c command` with its standard output in `output_fd`.
int spawn_shell(const std::string& command, int output_fd, pid_t* child) {
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions); error != 0) return error;
  int error = posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
  if (error == 0) {
    std::string shell = "sh";
    std::string option = "-c";
    std::string text = command;
    const std::array<char*, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
    const SpawnAttributes attributes;
    error = posix_spawn(child, "/bin/sh", &actions, attributes.get(), arguments.data(), environ);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

Result<SecureBuffer> read_command(const std::string& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return error_from_errno("pipe", errno);
  FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  pid_t child = -1;
  if (const int error = spawn_shell(command, write_end.get(), &child); error != 0) {
    return error_from_errno("cannot run the password command", error);
  }
  write_end.reset();
  auto password =
      read_to_end(read_end.get(), Newline::drop_one, "cannot read from the password command");
  read_end.reset();
  // One that prints without end is not waited for.
  int status = 0;
  bool ended = false;
  if (!wait_bounded(child, password ? command_patience_ms : 0, &status, &ended)) {
    return error_from_errno("cannot wait for the password command", errno);
  }
  if (!password) return password;
  if (ended) {
    return Error{ErrorCode::io, 0,
                 "the password command closed its output and did not end; it was stopped", 0};
  }
  if (!WIFEXITED(status)) {
    return Error{ErrorCode::io, 0, "the password command was ended by signal {signal}",
                 static_cast<std::uint64_t>(WTERMSIG(status))};
  }
  if (WEXITSTATUS(status) != 0) {
    return Error{ErrorCode::io, 0, "the password command failed with status {}",
                 static_cast<std::uint64_t>(WEXITSTATUS(status))};
  }
  return password;
}

Result<SecureBuffer> read_terminal(const char* prompt, bool confirm) {
  auto password = prompt_hidden(prompt, max_bytes);
  if (!password || !confirm) return password;
  const auto again = prompt_hidden("The same again: ", max_bytes);
  if (!again) return again.error();
  if (again->size() != password->size() ||
      !secure_equal(again->data(), password->data(), password->size())) {
    return Error{ErrorCode::invalid_argument, 0, "the two passwords differ", 0};
  }
  return password;
}

Result<SecureBuffer> read_any(const PasswordSource& source, const char* prompt, bool confirm,
                              Notices* notices) {
  if (source.fd >= 0) {
    tell_if_others_read(source.fd, "the file on its descriptor", notices);
    return read_to_end(source.fd, Newline::keep, "cannot read the password from its descriptor");
  }
  if (source.file == "-") return read_standard_input(prompt, notices);
  if (!source.file.empty()) return read_file(source.file, notices);
  if (!source.command.empty()) return read_command(source.command);
  return read_terminal(prompt, confirm);
}

}  // namespace

Result<SecureBuffer> read_password(const PasswordSource& source, const char* prompt, bool confirm,
                                   std::vector<std::string>* notices) {
  Notices unheard;
  if (notices == nullptr) notices = &unheard;
  auto password = read_any(source, prompt, confirm, notices);
  if (password) {
    const std::string odd = untypable_text(password->span());
    if (!odd.empty()) {
      notices->push_back("password: it " + odd +
                         ", so it cannot be typed at a prompt; it is used as it stands");
    }
  }
  if (password && password->empty() && !source.empty_allowed) {
    return Error{ErrorCode::invalid_argument, 0, "empty password", 0};
  }
  return password;
}

}  // namespace volt
