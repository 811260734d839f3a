#include "blockdev/host/password_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "blockdev/host/child.h"
#include "blockdev/host/file_descriptor.h"
#include "blockdev/host/secret_notices.h"
#include "blockdev/host/tty_prompt.h"

namespace volt {
namespace {

constexpr std::size_t max_bytes = max_read_password_bytes;
constexpr std::size_t max_read_bytes = max_bytes + 3;        // a line's end, and one too many
constexpr std::chrono::milliseconds command_patience(5000);  // to end, once its output has ended

using Notices = std::vector<std::string>;

Error too_long() noexcept {
  return Error{ErrorCode::invalid_argument, 0,
               "longer than {} bytes, the longest that volumes have", max_bytes};
}

enum class Newline : std::uint8_t { keep, drop_one };

// The first `length` bytes of the buffer, without the newline that is no part of the password.
Result<SecureBuffer> as_password(SecureBuffer buffer, std::size_t length, Newline newline) {
  if (length >= max_read_bytes) return too_long();
  if (newline == Newline::drop_one && length > 0 && buffer.data()[length - 1] == '\n') {
    --length;
    if (length > 0 && buffer.data()[length - 1] == '\r') --length;
  }
  if (length > max_bytes) return too_long();
  buffer.shrink(length);
  return buffer;
}

// Up to end of file. One byte too many is enough to know that a password is too long.
Result<SecureBuffer> read_to_end(int fd, Newline newline, const char* context) {
  auto buffer = SecureBuffer::create(max_read_bytes);
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
  return as_password(*std::move(buffer), length, newline);
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

// No limit on its time: it may ask a person. It stays in our group, so that it can.
Result<SecureBuffer> read_command(const std::string& command) {
  ChildRequest request;
  request.argv = {"/bin/sh", "-c", command};
  request.files = ChildFiles::inherited;  // `cat <&3` means our caller's descriptor
  request.output = ChildOutput::captured;
  request.output_limit = max_read_bytes - 1;
  request.patience = command_patience;
  auto ran = run_child(request);
  if (!ran) {
    Error error = ran.error();
    error.context = "cannot run the password command";
    return error;
  }
  if (ran->stopped == ChildStop::too_much) return too_long();
  if (ran->stopped == ChildStop::too_slow) {
    return Error{ErrorCode::io, 0,
                 "the password command closed its output and did not end; it was stopped", 0};
  }
  if (ran->end.signal != 0) {
    return Error{ErrorCode::io, 0, "the password command was ended by signal {signal}",
                 static_cast<std::uint64_t>(ran->end.signal)};
  }
  if (ran->end.status != 0) {
    return Error{ErrorCode::io, 0, "the password command failed with status {}",
                 static_cast<std::uint64_t>(ran->end.status)};
  }
  const std::size_t length = ran->output.size();
  return as_password(std::move(ran->output), length, Newline::drop_one);
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
