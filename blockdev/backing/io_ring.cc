#include "blockdev/backing/io_ring.h"

#include <liburing.h>
#include <poll.h>

#include <new>
#include <utility>

namespace volt {

struct IoRing::Ring {
  Ring() = default;
  ~Ring() {
    if (made) io_uring_queue_exit(&uring);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  struct io_uring uring {};
  bool made = false;
};

IoRing::IoRing(std::unique_ptr<Ring> ring) noexcept : ring_(std::move(ring)) {}
IoRing::~IoRing() = default;

Result<std::unique_ptr<IoRing>> IoRing::create(unsigned entries) {
  auto ring = std::make_unique<Ring>();
  // Completions are worked on when this thread asks for them and interrupt it at no other time:
  // from Linux 5.19 on. Older kernels have the plain kind.
  int error = io_uring_queue_init(entries, &ring->uring, IORING_SETUP_COOP_TASKRUN);
  if (error != 0) error = io_uring_queue_init(entries, &ring->uring, 0);
  if (error != 0) {
    const ErrorCode code = error == -ENOMEM ? ErrorCode::no_memory : ErrorCode::not_supported;
    return Error{code, -error, "io_uring", 0};
  }
  ring->made = true;
  return std::unique_ptr<IoRing>(new IoRing(std::move(ring)));
}

bool IoRing::start(const PlannedIo& io, std::size_t done, std::uint64_t tag) noexcept {
  io_uring_sqe* const entry = io_uring_get_sqe(&ring_->uring);
  if (entry == nullptr) return false;
  const auto bytes = static_cast<unsigned>(io.memory.size() - done);
  if (io.write) {
    io_uring_prep_write(entry, io.fd, io.memory.data() + done, bytes, io.offset + done);
  } else {
    io_uring_prep_read(entry, io.fd, io.memory.data() + done, bytes, io.offset + done);
  }
  io_uring_sqe_set_data64(entry, tag);
  return true;
}

bool IoRing::watch(int fd, std::uint64_t tag) noexcept {
  io_uring_sqe* const entry = io_uring_get_sqe(&ring_->uring);
  if (entry == nullptr) return false;
  io_uring_prep_poll_add(entry, fd, POLLIN);
  io_uring_sqe_set_data64(entry, tag);
  return true;
}

void IoRing::submit(bool block) noexcept {
  // Interrupted, or out of memory for the moment: what is queued stays queued for the next call.
  const int submitted = io_uring_submit_and_wait(&ring_->uring, block ? 1 : 0);
  static_cast<void>(submitted);
}

bool IoRing::next(Completion* completion) noexcept {
  io_uring_cqe* entry = nullptr;
  if (io_uring_peek_cqe(&ring_->uring, &entry) != 0 || entry == nullptr) return false;
  *completion = {io_uring_cqe_get_data64(entry), entry->res};
  io_uring_cqe_seen(&ring_->uring, entry);
  return true;
}

}  // namespace volt
