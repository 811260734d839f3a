// One lock for one storage, by whatever path it is opened.
#pragma once

#include <vector>

#include "blockdev/file_descriptor.h"
#include "crypto/result.h"

namespace volt {

struct StorageDevice;
struct StorageExtent;

// Whoever opens the same bytes finds the lock: through a hard link, another device node, a loop
// device over the file (or over another loop device), a partition or its disk. Readers share,
// a writer is alone. Different partitions of a disk are different storages.
//
// What is locked, from the bottom up, so that of two who come at once one gets it:
//  - the range of the lowest file (open file description lock);
//  - every block device on the way, on its entry in /sys, which is the same for all nodes of it;
//  - for writers, the claim that the kernel itself knows (O_EXCL), which also refuses what is
//    mounted. Loop devices over the storage are not claimed, but none may be in use.
// What cannot be seen from here is not locked: a loop device's file in another mount namespace or
// without permission, and parts of a disk below dm or md (the kernel claims those for them).
// Ends with the object, or with the process. Thread contract: one thread at a time.
class StorageLock {
 public:
  StorageLock() = default;
  // `fd` is a regular file or block device, open for writing unless `read_only`; it stays open as
  // long as the lock, since of a regular file it is the lock.
  // Errors: busy; io where a block device cannot be claimed.
  static Result<StorageLock> take(int fd, bool read_only);

  // False where the file system knows no locks.
  bool held() const noexcept { return held_; }

 private:
  Status lock_file(int fd, const StorageExtent& extent, bool read_only);
  Status lock_device(const StorageDevice& device, bool read_only);
  Status claim(int fd);

  std::vector<FileDescriptor> descriptors_;
  bool held_ = false;
};

}  // namespace volt
