// Transfers of files, many at once from one thread, by io_uring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "blockdev/device/planned_io.h"
#include "crypto/base/result.h"

namespace volt {

// Thread contract: one thread, the same from the first start() on.
class IoRing {
 public:
  struct Completion {
    std::uint64_t tag = 0;
    int result = 0;  // bytes or events; below 0: -errno
  };

  // Room for `entries` requests in flight. Errors: not_supported (the kernel, or a sandbox, allows
  // no io_uring), no_memory.
  static Result<std::unique_ptr<IoRing>> create(unsigned entries);
  ~IoRing();
  IoRing(const IoRing&) = delete;
  IoRing& operator=(const IoRing&) = delete;

  // Queues what is left of the transfer after `done` bytes. False: no room (never within
  // `entries`).
  bool start(const PlannedIo& io, std::size_t done, std::uint64_t tag) noexcept;
  // Queues a single wait for `fd` to become readable, or to fail.
  bool watch(int fd, std::uint64_t tag) noexcept;
  // Hands what is queued to the kernel; `block`: waits for a completion or a signal.
  void submit(bool block) noexcept;
  bool next(Completion* completion) noexcept;

 private:
  struct Ring;
  explicit IoRing(std::unique_ptr<Ring> ring) noexcept;
  std::unique_ptr<Ring> ring_;
};

}  // namespace volt
