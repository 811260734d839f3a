// A regular file or a block device of the system.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "blockdev/backing/storage_lock.h"
#include "blockdev/device/block_device.h"
#include "blockdev/host/file_descriptor.h"

namespace volt {

// How the container's file is accessed.
enum class DirectIo : std::uint8_t { automatic, on, off };

struct ContainerOptions {
  bool read_only = false;  // never opens for writing
  DirectIo direct = DirectIo::automatic;
  bool lock = true;      // StorageLock: shared for reading, else exclusive
  bool discard = false;  // punch holes on discard
};

// Positional I/O on one descriptor, whole requests or an error. Its size is that of the moment of
// opening: a file cut short later gives `io`, never a short read.
// With direct I/O, offsets, lengths and memory must be aligned as geometry() says.
// A failed flush stays failed: the kernel reports lost pages once and then forgets them, so every
// later flush returns the first error until the file is opened again.
// Thread contract: as BlockDevice.
class FileDevice final : public BlockDevice {
 public:
  // Falls back to read-only where writing is not permitted, and to buffered I/O where direct I/O
  // does not work (read_only and direct() tell).
  // Errors: not_found, permission, wrong_file (neither file nor block device, or empty),
  // busy (the storage is in use, by whatever path: storage_lock.h), io.
  static Result<std::unique_ptr<FileDevice>> open(const std::string& path,
                                                  const ContainerOptions& options);

  bool direct() const noexcept { return direct_; }
  // False where the file system knows no locks, or none was asked for.
  bool locked() const noexcept { return lock_.held(); }
  // On tmpfs or ramfs: no request waits for anything but the processor.
  bool in_memory() const noexcept { return in_memory_; }
  // As it was opened: path and descriptor, which is this object's.
  const std::string& path() const noexcept { return path_; }
  int descriptor() const noexcept { return fd_.get(); }

 private:
  struct Opened;

  FileDevice(const Geometry& geometry, std::string path, Opened opened, StorageLock lock) noexcept;
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  bool do_plan(PlannedIo* io) noexcept override;
  Status do_flush() noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;
  int sync_file() const noexcept;  // errno, or 0

  std::string path_;
  StorageLock lock_;
  FileDescriptor fd_;
  bool block_device_;
  bool direct_;
  bool in_memory_;

  std::mutex flush_mutex_;  // guards what follows; not held while the file is flushed
  std::condition_variable flush_done_;
  std::uint64_t flushes_asked_ = 0;
  std::uint64_t flushes_done_ = 0;
  bool flushing_ = false;
  int flush_errno_ = 0;  // of the first flush that failed
};

}  // namespace volt
