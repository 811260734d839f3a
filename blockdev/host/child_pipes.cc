#include "blockdev/host/child_pipes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace volt {
namespace {

constexpr std::size_t max_input_bytes = 65536;  // a pipe's room
constexpr std::size_t spare_bytes = 256;        // what is over the limit is read there

}  // namespace

Status make_child_pipe(FileDescriptor* reading, FileDescriptor* writing) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return error_from_errno("cannot make a pipe", errno);
  reading->reset(ends[0]);
  writing->reset(ends[1]);
  for (FileDescriptor* end : {reading, writing}) {
    if (end->get() > STDERR_FILENO) continue;
    end->reset(::fcntl(end->get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!*end) return error_from_errno("cannot make a pipe", errno);
  }
  return {};
}

Status make_child_input(ByteSpan input, FileDescriptor* reading) {
  if (input.size() > max_input_bytes) {
    return Error{ErrorCode::invalid_argument, E2BIG, "too much input for the program", 0};
  }
  FileDescriptor writing;
  VOLT_TRY(make_child_pipe(reading, &writing));
  // Less room (a user has many pipes) must be an error, not a wait.
  if (::fcntl(writing.get(), F_SETFL, O_NONBLOCK) != 0) return error_from_errno("fcntl", errno);
  const ssize_t put = input.empty() ? 0 : ::write(writing.get(), input.data(), input.size());
  if (put < 0) return error_from_errno("handing over the input", errno);
  if (static_cast<std::size_t>(put) == input.size()) return {};
  return error_from_errno("handing over the input", ENOSPC);
}

Status Capture::open(std::size_t limit, FileDescriptor* child_end) {
  VOLT_TRY(make_child_pipe(&fd_, child_end));
  if (::fcntl(fd_.get(), F_SETFL, O_NONBLOCK) != 0) return error_from_errno("fcntl", errno);
  auto bytes = SecureBuffer::create(limit + spare_bytes);
  if (!bytes) return bytes.error();
  bytes_ = std::move(*bytes);
  limit_ = limit;
  return {};
}

void Capture::drain() noexcept {
  while (fd_) {
    const std::size_t at = std::min(length_, limit_);
    const ssize_t got = ::read(fd_.get(), bytes_.data() + at, bytes_.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) fd_.reset();
    if (got > 0) length_ += static_cast<std::size_t>(got);
    if (over_limit()) return;  // one that writes without end must not keep us here
  }
}

SecureBuffer Capture::take() noexcept {
  if (!bytes_.empty()) bytes_.shrink(std::min(length_, limit_));
  return std::move(bytes_);
}

}  // namespace volt
