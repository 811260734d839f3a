// A file that appears under its name only when it is finished.
#pragma once

#include <cstdint>
#include <string>

#include "blockdev/host/file_descriptor.h"
#include "crypto/base/bytes.h"
#include "crypto/base/result.h"

namespace volt {

// Where the file system allows it (O_TMPFILE) the file has no name until publish(): whatever
// interrupts the work, even SIGKILL, leaves nothing behind. Elsewhere it has its name from the
// start, and the destructor removes it unless it was published.
// Thread contract: one thread at a time.
class NewFile {
 public:
  // Errors: io with sys_errno EEXIST (something has that name), not_found, permission, io.
  static Result<NewFile> create(const std::string& path);
  NewFile(NewFile&&) noexcept = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  int fd() const noexcept { return fd_.get(); }
  // A path that opens this very file, whether or not it has a name yet.
  std::string access_path() const;
  // Sets the length. With `allocate` the space is reserved, where the file system can do that,
  // so that a full disk shows here. Errors: no_space, io.
  Status resize(std::uint64_t bytes, bool allocate);
  // Writes all of `bytes` at the descriptor's position. Errors: no_space, io.
  Status write(ByteSpan bytes);
  // Gives the file its name, never replacing another, and syncs file and folder.
  Status publish();
  // Takes the name away again.
  void retract() noexcept;

 private:
  NewFile(std::string path, FileDescriptor fd, bool named) noexcept;

  std::string path_;
  FileDescriptor fd_;
  bool named_;
  bool published_ = false;
};

// Writes all of `bytes` to any descriptor; a closed pipe is an error like any other.
Status write_all(int fd, ByteSpan bytes);

// Gives a regular file other contents at once: whatever interrupts this, the old ones or the new
// ones are there, synced. Mode and, where that is allowed, owner stay. The old bytes themselves are
// not overwritten. Errors: wrong_file (not a regular file), permission, no_space, io.
Status replace_file(const std::string& path, ByteSpan bytes);

// Bytes that an unprivileged user may still write in the file system of the folder of `path`.
Result<std::uint64_t> free_bytes_beside(const std::string& path);

}  // namespace volt
