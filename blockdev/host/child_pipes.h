// Pipes between this process and its children (child.h).
#pragma once

#include <cstddef>

#include "blockdev/host/file_descriptor.h"
#include "crypto/base/bytes.h"
#include "crypto/base/result.h"
#include "crypto/base/secure_buffer.h"

namespace volt {

// Both ends have numbers above the standard streams, which may be closed: what is to become a
// child's stream must not stand where another one belongs. Errors: io.
Status make_child_pipe(FileDescriptor* reading, FileDescriptor* writing);

// The read end of a pipe that holds the whole input. Errors: invalid_argument (more than 65536
// bytes), no_space (the pipe has less room), io.
Status make_child_input(ByteSpan input, FileDescriptor* reading);

// What a child writes, up to a limit, in memory fit for secrets.
class Capture {
 public:
  Status open(std::size_t limit, FileDescriptor* child_end);
  // -1: nothing comes, or nothing any more.
  int fd() const noexcept { return fd_.get(); }
  bool over_limit() const noexcept { return length_ > limit_; }
  // Reads what is there by now, without waiting; what is over the limit is lost.
  void drain() noexcept;
  SecureBuffer take() noexcept;

 private:
  FileDescriptor fd_;
  SecureBuffer bytes_;
  std::size_t length_ = 0;
  std::size_t limit_ = 0;
};

}  // namespace volt
