// A file that is open, and whether its name still leads to it.
#pragma once

#include <string>

#include "blockdev/file_descriptor.h"

namespace volt {

enum class FileState {
  present,
  moved,    // its name has gone or leads elsewhere, but it has another one
  deleted,  // it has no name any more: with the last descriptor its contents go
};
const char* file_state_name(FileState state) noexcept;  // "present", ...

struct FileStanding {
  FileState state = FileState::present;
  std::string now;  // the path that the kernel knows it by, where it was moved; may be empty
};

// Watches a regular file by a descriptor of its own. What was opened by descriptor
// (/proc/self/fd/9: it may never have had a name) and what is no regular file counts as present; so
// does what cannot be looked up for another reason than that it is not there. Thread contract:
// look() from any thread; may wait as long as the file system does.
class NamedFile {
 public:
  // `path` is taken from the current folder of this moment. `fd` is copied.
  NamedFile(const std::string& path, int fd);
  NamedFile(NamedFile&&) noexcept = default;

  const std::string& path() const noexcept { return path_; }
  FileStanding look() const;

 private:
  std::string path_;  // absolute
  FileDescriptor fd_;
  bool watched_ = false;
};

}  // namespace volt
