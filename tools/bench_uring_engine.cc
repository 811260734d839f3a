#include <liburing.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <vector>

#include "tools/bench_clock.h"
#include "tools/bench_engine.h"

namespace volt {
namespace {

constexpr std::uint64_t stop_patience_ns = 500'000'000;
constexpr long wait_slice_ns = 50'000'000;  // how often the stop flag is looked at
// Handed over in one call, so that the target begins while the next ones are prepared. With all 32
// of a deep queue at once it stands still meanwhile, and answers all at once: a tenth is lost.
constexpr std::size_t group_requests = 8;

// Owns a ring. The newest set-up flags first: completions are then handled in our own thread
// without interrupting it.
class Ring {
 public:
  ~Ring() {
    if (!open_) return;
    // At once, while the ring itself is taken apart by the kernel later on: a target that is still
    // in use could not be unmounted.
    io_uring_unregister_files(&ring_);
    io_uring_queue_exit(&ring_);
  }
  Status open(unsigned entries) noexcept {
    constexpr unsigned flag_sets[] = {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
                                      IORING_SETUP_COOP_TASKRUN, 0};
    int error = 0;
    for (const unsigned flags : flag_sets) {
      error = io_uring_queue_init(entries, &ring_, flags);
      if (error != -EINVAL) break;
    }
    if (error < 0) return error_from_errno("setting up io_uring", -error);
    open_ = true;
    return {};
  }
  io_uring* get() noexcept { return &ring_; }

 private:
  io_uring ring_{};
  bool open_ = false;
};

class UringEngine final : public IoEngine {
 public:
  Status prepare(const EngineJob& job) override;
  void run(EngineControl& control, EngineOutcome& outcome) override;

 private:
  struct Slot {
    std::uint64_t issued_ns = 0;
    std::uint64_t offset = 0;
    bool write = false;
  };

  std::uint8_t* buffer_of(unsigned slot) const {
    return buffer_.data() + std::size_t{slot} * static_cast<std::size_t>(job_.block_bytes);
  }
  void prepare_request(unsigned slot);
  void start_group_clock();
  void complete(const io_uring_cqe* cqe, std::uint64_t now, EngineOutcome& outcome);
  unsigned reap(EngineControl& control, EngineOutcome& outcome);
  bool may_issue(const EngineControl& control, const EngineOutcome& outcome,
                 std::uint64_t now) const;

  EngineJob job_;
  AlignedBuffer buffer_;
  Ring ring_;
  std::vector<Slot> slots_;
  std::vector<unsigned> free_;
  std::vector<unsigned> group_;  // prepared, not yet handed over
  std::optional<RequestStream> stream_;
  std::uint64_t issued_bytes_ = 0;
  std::uint64_t serial_ = 0;
  bool fixed_buffers_ = false;
};

Status UringEngine::prepare(const EngineJob& job) {
  job_ = job;
  auto buffer = make_job_buffer(job);
  if (!buffer) return buffer.error();
  buffer_ = *std::move(buffer);
  VOLT_TRY(ring_.open(job.depth));
  slots_.resize(job.depth);
  group_.reserve(group_requests);
  std::vector<iovec> vectors;
  for (unsigned slot = 0; slot < job.depth; ++slot) {
    free_.push_back(job.depth - 1 - slot);
    vectors.push_back({buffer_of(slot), static_cast<std::size_t>(job.block_bytes)});
  }
  if (job.fd >= 0) {
    const int error = io_uring_register_files(ring_.get(), &job.fd, 1);
    if (error < 0) return error_from_errno("registering the target with io_uring", -error);
    // Registration is refused where the locked memory limit is small; plain buffers work as well.
    fixed_buffers_ = io_uring_register_buffers(ring_.get(), vectors.data(), job.depth) == 0;
  }
  stream_.emplace(job.order, job.range_offset, job.range_bytes, job.block_bytes, job.read_percent,
                  job.seed);
  serial_ = job.data_seed;
  return {};
}

void UringEngine::prepare_request(unsigned slot) {
  io_uring_sqe* sqe = io_uring_get_sqe(ring_.get());  // never null: depth entries, depth slots
  const IoRequest request = stream_->next();
  std::uint8_t* buffer = buffer_of(slot);
  const auto length = static_cast<unsigned>(job_.block_bytes);
  if (job_.fd < 0) {
    io_uring_prep_nop(sqe);
  } else if (request.write) {
    stamp_unique({buffer, length}, ++serial_);
    if (fixed_buffers_) {
      io_uring_prep_write_fixed(sqe, 0, buffer, length, request.offset_bytes,
                                static_cast<int>(slot));
    } else {
      io_uring_prep_write(sqe, 0, buffer, length, request.offset_bytes);
    }
  } else if (fixed_buffers_) {
    io_uring_prep_read_fixed(sqe, 0, buffer, length, request.offset_bytes, static_cast<int>(slot));
  } else {
    io_uring_prep_read(sqe, 0, buffer, length, request.offset_bytes);
  }
  if (job_.fd >= 0) sqe->flags |= IOSQE_FIXED_FILE;
  io_uring_sqe_set_data64(sqe, slot);
  slots_[slot] = {0, request.offset_bytes, request.write};
  group_.push_back(slot);
  issued_bytes_ += job_.block_bytes;
}

// Latency begins with the call that hands a request over: what we need to prepare it is not the
// target's.
void UringEngine::start_group_clock() {
  const std::uint64_t now = now_ns();
  for (const unsigned slot : group_) slots_[slot].issued_ns = now;
  group_.clear();
}

void UringEngine::complete(const io_uring_cqe* cqe, std::uint64_t now, EngineOutcome& outcome) {
  const auto slot_index = static_cast<unsigned>(io_uring_cqe_get_data64(cqe));
  const Slot& slot = slots_[slot_index];
  free_.push_back(slot_index);
  const bool whole = job_.fd < 0 || cqe->res == static_cast<int>(job_.block_bytes);
  if (!whole) {
    if (!outcome.error.ok()) return;
    Error error{ErrorCode::io, 0, slot.write ? "short write" : "short read", 0};
    if (cqe->res < 0) error = error_from_errno(slot.write ? "writing" : "reading", -cqe->res);
    error.detail = slot.offset;
    outcome.error = error;
    return;
  }
  outcome.latency.record(now - slot.issued_ns);
  ++outcome.requests;
  (slot.write ? outcome.written_bytes : outcome.read_bytes) += job_.block_bytes;
}

// Takes every completion that is there; returns how many.
unsigned UringEngine::reap(EngineControl& control, EngineOutcome& outcome) {
  const std::uint64_t now = now_ns();
  const std::uint64_t before = outcome.read_bytes + outcome.written_bytes;
  unsigned count = 0;
  unsigned head = 0;
  io_uring_cqe* cqe = nullptr;
  io_uring_for_each_cqe(ring_.get(), head, cqe) {
    complete(cqe, now, outcome);
    ++count;
  }
  io_uring_cq_advance(ring_.get(), count);
  if (count == 0) return 0;
  outcome.last_completion_ns = now;
  control.done_bytes.fetch_add(outcome.read_bytes + outcome.written_bytes - before,
                               std::memory_order_relaxed);
  return count;
}

bool UringEngine::may_issue(const EngineControl& control, const EngineOutcome& outcome,
                            std::uint64_t now) const {
  return outcome.error.ok() && (job_.byte_limit == 0 || issued_bytes_ < job_.byte_limit) &&
         now < control.deadline_ns.load(std::memory_order_relaxed) &&
         !control.stop.load(std::memory_order_relaxed);
}

void UringEngine::run(EngineControl& control, EngineOutcome& outcome) {
  unsigned in_flight = 0;
  std::uint64_t stop_seen_ns = 0;
  while (true) {
    const std::uint64_t now = now_ns();
    while (!free_.empty() && may_issue(control, outcome, now)) {
      const unsigned slot = free_.back();
      free_.pop_back();
      prepare_request(slot);
      ++in_flight;
      if (group_.size() == group_requests && !free_.empty()) {
        start_group_clock();
        io_uring_submit(ring_.get());  // what it leaves behind goes with the next
      }
    }
    if (in_flight == 0) return;
    start_group_clock();
    __kernel_timespec slice{0, wait_slice_ns};
    io_uring_cqe* first = nullptr;
    const int code = io_uring_submit_and_wait_timeout(ring_.get(), &first, 1, &slice, nullptr);
    if (code < 0 && code != -ETIME && code != -EINTR && code != -EAGAIN && code != -EBUSY) {
      if (outcome.error.ok()) outcome.error = error_from_errno("submitting to io_uring", -code);
      return;
    }
    in_flight -= reap(control, outcome);
    if (control.stop.load(std::memory_order_relaxed)) {
      if (stop_seen_ns == 0) stop_seen_ns = now;
      if (now - stop_seen_ns > stop_patience_ns) {
        outcome.abandoned = in_flight > 0;
        return;
      }
    }
  }
}

}  // namespace

std::unique_ptr<IoEngine> make_uring_engine() {
  return std::make_unique<UringEngine>();
}

Status probe_io_uring() noexcept {
  Ring ring;
  return ring.open(1);
}

}  // namespace volt
