// Planned requests in the place of calls: so every suite drives plan() and finish() as it drives
// read() and write().
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <shared_mutex>

#include <gtest/gtest.h>

#include "blockdev/forwarding_device.h"
#include "tests/test_devices.h"

namespace volt {

// A system call's transfer may be seen half done by another; a disk's sector may not. So the
// transfers of the tests exclude one another, and what is torn was torn by a device.
inline std::shared_mutex& transfer_mutex() {
  static std::shared_mutex mutex;
  return mutex;
}

// Transfers the first `bytes` of a request, in two steps where it has more than one unit.
inline Result<std::size_t> transfer(const PlannedIo& io, std::size_t bytes) {
  PlannedIo part = io;
  part.memory = io.memory.first(bytes);
  const std::size_t step = std::max<std::size_t>(align_down(bytes / 2, 512), 512);
  TransferProgress progress;
  std::unique_lock<std::shared_mutex> alone(transfer_mutex(), std::defer_lock);
  std::shared_lock<std::shared_mutex> shared(transfer_mutex(), std::defer_lock);
  if (io.write) {
    alone.lock();
  } else {
    shared.lock();
  }
  for (int result = -EINTR; bytes != 0 && progress.go_on(part, result);) {
    const MutableByteSpan rest = part.memory.subspan(progress.done_bytes());
    const std::size_t now = std::min(rest.size(), step);
    const auto at = static_cast<off_t>(part.offset + progress.done_bytes());
    const ssize_t done =
        io.write ? pwrite(io.fd, rest.data(), now, at) : pread(io.fd, rest.data(), now, at);
    result = done < 0 ? -errno : static_cast<int>(done);
  }
  return progress.outcome(part);
}

inline Result<std::size_t> transfer(const PlannedIo& io) {
  return transfer(io, io.memory.size());
}

// A file without a name, in memory.
class AnonymousFile final : public BlockDevice {
 public:
  explicit AnonymousFile(std::uint64_t size)
      : BlockDevice(Geometry{.size_bytes = size}), fd_(memfd_create("volt-test", MFD_CLOEXEC)) {
    EXPECT_EQ(ftruncate(fd_, static_cast<off_t>(size)), 0);
  }
  ~AnonymousFile() override { close(fd_); }

 private:
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override {
    const std::shared_lock lock(transfer_mutex());
    const ssize_t done = pread(fd_, buffer.data(), buffer.size(), static_cast<off_t>(offset));
    return done == static_cast<ssize_t>(buffer.size()) ? Status{}
                                                       : failed_transfer(false, 0, offset);
  }
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override {
    const std::unique_lock lock(transfer_mutex());
    const ssize_t done = pwrite(fd_, buffer.data(), buffer.size(), static_cast<off_t>(offset));
    return done == static_cast<ssize_t>(buffer.size()) ? Status{}
                                                       : failed_transfer(true, 0, offset);
  }
  bool do_plan(PlannedIo* io) noexcept override {
    io->fd = fd_;
    return true;
  }
  Status do_flush() noexcept override { return {}; }

  int fd_;
};

// On top of a stack: plans what it is asked for, transfers it, and finishes it. What the stack does
// not plan goes to it as a call, after a look that nothing was changed.
class PlannedAdapter final : public ForwardingDevice {
 public:
  explicit PlannedAdapter(DevicePtr child) : ForwardingDevice(std::move(child)) {}

  // The stack without the adapter.
  BlockDevice& by_calls() const noexcept { return child(); }
  // Requests planned so far.
  std::uint64_t planned() const noexcept { return planned_; }
  // The n-th transfer from now (from 1) ends after half of it, and finish() is told so. 0: none.
  void cut_short(std::uint64_t nth) {
    cut_at_ = nth == 0 ? 0 : planned_ + nth;
    cuts_ = 0;
  }
  std::uint64_t cuts() const noexcept { return cuts_; }

 private:
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override {
    PlannedIo io = request(false, offset, buffer);
    return plan_untouched(&io) ? carry_out(&io) : child().read(offset, buffer);
  }
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override {
    Bytes copy(buffer.begin(), buffer.end());
    PlannedIo io = request(true, offset, copy);
    return plan_untouched(&io) ? carry_out(&io) : child().write(offset, buffer);
  }
  Status do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept override {
    PlannedIo io = request(true, offset, buffer);
    return plan_untouched(&io) ? carry_out(&io) : child().write_consuming(offset, buffer);
  }

  static PlannedIo request(bool write, std::uint64_t offset, MutableByteSpan memory) {
    PlannedIo io;
    io.write = write;
    io.offset = offset;
    io.memory = memory;
    return io;
  }
  bool plan_untouched(PlannedIo* io) {
    const Bytes before(io->memory.begin(), io->memory.end());
    const PlannedIo as_it_was = *io;
    if (child().plan(io)) {
      // A read's memory is the kernel's to fill, and nobody else's.
      EXPECT_TRUE(io->write || std::equal(before.begin(), before.end(), io->memory.begin()));
      return true;
    }
    EXPECT_TRUE(std::equal(before.begin(), before.end(), io->memory.begin()));
    EXPECT_EQ(io->offset, as_it_was.offset);
    EXPECT_EQ(io->memory.data(), as_it_was.memory.data());
    EXPECT_EQ(io->depth, 0U);
    return false;
  }
  Status carry_out(PlannedIo* io) {
    std::size_t bytes = io->memory.size();
    if (++planned_ == cut_at_) {
      bytes = align_down(bytes / 2, 512);
      ++cuts_;
    }
    return child().finish(io, transfer(*io, bytes));
  }

  std::atomic<std::uint64_t> planned_{0};
  std::atomic<std::uint64_t> cut_at_{0};
  std::atomic<std::uint64_t> cuts_{0};
};

}  // namespace volt
