#include "blockdev/backing/file_device.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blockdev/backing/direct_io.h"
#include "blockdev/device/io_range.h"

namespace volt {

namespace {

constexpr std::uint32_t buffered_io_bytes = 131072;  // few calls, and in the second-level cache
constexpr std::uint32_t direct_io_bytes = 1048576;   // one request to the disk

constexpr std::uint64_t discard_block_bytes = 4096;

bool write_forbidden(int error) noexcept {
  return error == EACCES || error == EPERM || error == EROFS;
}

// Opens for writing where that is allowed, else for reading. O_NONBLOCK: a FIFO must not hang.
Result<FileDescriptor> open_descriptor(const std::string& path, const ContainerOptions& options,
                                       bool* read_only) noexcept {
  constexpr int flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  *read_only = options.read_only;
  if (!*read_only) {
    const int fd = ::open(path.c_str(), flags | O_RDWR);
    if (fd >= 0) return FileDescriptor(fd);
    if (!write_forbidden(errno)) return error_from_errno("open", errno);
    *read_only = true;
  }
  const int fd = ::open(path.c_str(), flags | O_RDONLY);
  if (fd < 0) return error_from_errno("open", errno);
  return FileDescriptor(fd);
}

Result<std::uint64_t> size_of(int fd, const struct stat& info) noexcept {
  std::uint64_t size = static_cast<std::uint64_t>(info.st_size);
  if (S_ISBLK(info.st_mode) && ioctl(fd, BLKGETSIZE64, &size) != 0) {
    return error_from_errno("size of the block device", errno);
  }
  if (size == 0) return Error{ErrorCode::wrong_file, 0, "is empty", 0};
  if (size > INT64_MAX) return Error{ErrorCode::wrong_file, EFBIG, "size", size};
  return size;
}

}  // namespace

struct FileDevice::Opened {
  FileDescriptor fd;
  bool block_device;
  bool direct;
  bool in_memory;
};

Result<std::unique_ptr<FileDevice>> FileDevice::open(const std::string& path,
                                                     const ContainerOptions& options) {
  bool read_only = false;
  auto opened = open_descriptor(path, options, &read_only);
  if (!opened.ok()) return opened.error();
  FileDescriptor descriptor = *std::move(opened);

  struct stat info {};
  if (fstat(descriptor.get(), &info) != 0) return error_from_errno("stat", errno);
  const bool block_device = S_ISBLK(info.st_mode);
  if (S_ISDIR(info.st_mode)) {
    return Error{ErrorCode::wrong_file, EISDIR, "is a directory", 0};
  }
  if (!block_device && !S_ISREG(info.st_mode)) {
    return Error{ErrorCode::wrong_file, 0, "is neither a file nor a block device", 0};
  }
  const auto size = size_of(descriptor.get(), info);
  if (!size.ok()) return size.error();

  StorageLock lock;
  if (options.lock) {
    auto taken = StorageLock::take(descriptor.get(), read_only);
    if (!taken.ok()) return taken.error();
    lock = *std::move(taken);
  }

  DirectIoLimits direct;
  if (options.direct != DirectIo::off) {
    direct =
        enable_direct_io(descriptor.get(), block_device, *size, options.direct == DirectIo::on);
  }
  const Geometry geometry{
      .size_bytes = *size,
      .alignment_bytes = direct.usable ? direct.offset_alignment : 1,
      .memory_alignment = direct.usable ? direct.memory_alignment : 1,
      .preferred_io_bytes = direct.usable ? direct_io_bytes : buffered_io_bytes,
      .read_only = read_only,
      .can_discard = options.discard && !read_only,
  };
  const bool in_memory = !block_device && file_system_in_memory(descriptor.get());
  Opened result{std::move(descriptor), block_device, direct.usable, in_memory};
  return std::unique_ptr<FileDevice>(
      new FileDevice(geometry, path, std::move(result), std::move(lock)));
}

FileDevice::FileDevice(const Geometry& geometry, std::string path, Opened opened,
                       StorageLock lock) noexcept
    : BlockDevice(geometry),
      path_(std::move(path)),
      lock_(std::move(lock)),
      fd_(std::move(opened.fd)),
      block_device_(opened.block_device),
      direct_(opened.direct),
      in_memory_(opened.in_memory) {}

Status FileDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  while (!buffer.empty()) {
    const ssize_t got = pread(fd_.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      return failed_transfer(false, errno, offset);
    }
    if (got == 0) return failed_transfer(false, 0, offset);
    buffer = buffer.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

Status FileDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  while (!buffer.empty()) {
    const ssize_t put = pwrite(fd_.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (put < 0) {
      if (errno == EINTR) continue;
      return failed_transfer(true, errno, offset);
    }
    if (put == 0) return failed_transfer(true, 0, offset);
    buffer = buffer.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return {};
}

bool FileDevice::do_plan(PlannedIo* io) noexcept {
  io->fd = fd_.get();
  return true;
}

Status FileDevice::do_flush() noexcept {
  if (geometry().read_only) return {};
  std::unique_lock lock(flush_mutex_);
  const std::uint64_t ticket = ++flushes_asked_;
  // Whoever comes while the file is being flushed waits, and one of them flushes for all.
  flush_done_.wait(lock, [&] { return !flushing_ || flushes_done_ >= ticket; });
  if (flushes_done_ < ticket) {
    flushing_ = true;
    const std::uint64_t covered = flushes_asked_;
    lock.unlock();
    const int error = sync_file();
    lock.lock();
    if (flush_errno_ == 0) flush_errno_ = error;
    flushes_done_ = covered;
    flushing_ = false;
    flush_done_.notify_all();
  }
  if (flush_errno_ == 0) return {};
  Error failure = error_from_errno("flush", flush_errno_);
  if (failure.code != ErrorCode::no_space) failure.code = ErrorCode::io;
  return failure;
}

int FileDevice::sync_file() const noexcept {
  for (;;) {
    if (fdatasync(fd_.get()) == 0) return 0;
    if (errno != EINTR) return errno;
  }
}

Status FileDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  int result = 0;
  if (block_device_) {
    // Whole blocks only, whatever the drive calls one; the rest is kept.
    const std::uint64_t begin = align_up(offset, discard_block_bytes);
    const std::uint64_t end = align_down(offset + length, discard_block_bytes);
    if (begin >= end) return {};
    std::uint64_t range[2] = {begin, end - begin};
    result = ioctl(fd_.get(), BLKDISCARD, range);
  } else {
    do {
      result = fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                         static_cast<off_t>(offset), static_cast<off_t>(length));
    } while (result != 0 && errno == EINTR);
  }
  return result == 0 ? Status{} : error_from_errno("discard", errno);
}

}  // namespace volt
