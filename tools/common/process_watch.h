// Other processes: the daemon of a volume, and who keeps files open.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>

#include "blockdev/host/file_descriptor.h"
#include "crypto/base/result.h"

namespace volt {

// A running voltd, held by a descriptor so that a process number that is used again misleads
// nobody. Move-only.
class DaemonWatch {
 public:
  // Errors: not_found (no such process, it is no voltd, or it is not that user's: whoever can forge
  // a status can name any process).
  static Result<DaemonWatch> create(pid_t pid, uid_t user);

  // True when it has ended; false when `limit` is over first.
  bool wait(std::chrono::milliseconds limit) const;
  // Errors: permission; not_found (it has ended).
  Status send(int signal) const;

 private:
  explicit DaemonWatch(FileDescriptor fd) noexcept : fd_(std::move(fd)) {}
  FileDescriptor fd_;
};

// "bash (1234), vim (99)": processes with a file open, or their working folder, below `folder`, as
// far as this user may look. Empty where none is seen.
std::string processes_using(const std::string& folder);

// The same: one process for each other mount namespace in which a file system is mounted from that
// block device.
std::string processes_mounting(const std::string& device);

}  // namespace volt
