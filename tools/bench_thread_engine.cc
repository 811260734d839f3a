#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tools/bench_clock.h"
#include "tools/bench_engine.h"

namespace volt {
namespace {

// A request in flight is a thread in pread or pwrite. They share one stream under a lock, which
// costs less than the system call beside it.
class ThreadEngine final : public IoEngine {
 public:
  Status prepare(const EngineJob& job) override {
    job_ = job;
    auto buffer = make_job_buffer(job);
    if (!buffer) return buffer.error();
    buffer_ = *std::move(buffer);
    stream_.emplace(job.order, job.range_offset, job.range_bytes, job.block_bytes, job.read_percent,
                    job.seed);
    return {};
  }

  void run(EngineControl& control, EngineOutcome& outcome) override {
    std::vector<std::jthread> threads;
    for (unsigned slot = 1; slot < job_.depth; ++slot) {
      threads.emplace_back([this, slot, &control, &outcome] { work(slot, control, outcome); });
    }
    work(0, control, outcome);
  }

 private:
  std::optional<IoRequest> take(const EngineControl& control, const EngineOutcome& outcome);
  Status transfer(const IoRequest& request, MutableByteSpan buffer) const;
  void finish(const IoRequest& request, const Status& status, std::uint64_t now,
              EngineControl& control, EngineOutcome& outcome);
  void work(unsigned slot, EngineControl& control, EngineOutcome& outcome);

  EngineJob job_;
  AlignedBuffer buffer_;
  std::mutex mutex_;
  std::optional<RequestStream> stream_;
  std::uint64_t issued_bytes_ = 0;
};

std::optional<IoRequest> ThreadEngine::take(const EngineControl& control,
                                            const EngineOutcome& outcome) {
  const std::scoped_lock lock(mutex_);
  if (!outcome.error.ok() || control.stop.load(std::memory_order_relaxed) ||
      (job_.byte_limit != 0 && issued_bytes_ >= job_.byte_limit) ||
      now_ns() >= control.deadline_ns.load(std::memory_order_relaxed)) {
    return std::nullopt;
  }
  issued_bytes_ += job_.block_bytes;
  return stream_->next();
}

Status ThreadEngine::transfer(const IoRequest& request, MutableByteSpan buffer) const {
  if (job_.device != nullptr) {
    return request.write ? job_.device->write(request.offset_bytes, buffer)
                         : job_.device->read(request.offset_bytes, buffer);
  }
  if (job_.fd < 0) return {};
  const auto offset = static_cast<off_t>(request.offset_bytes);
  const ssize_t moved = request.write ? ::pwrite(job_.fd, buffer.data(), buffer.size(), offset)
                                      : ::pread(job_.fd, buffer.data(), buffer.size(), offset);
  if (moved < 0) return error_from_errno(request.write ? "writing" : "reading", errno);
  if (moved == static_cast<ssize_t>(buffer.size())) return {};
  return Error{ErrorCode::io, 0, request.write ? "short write" : "short read", 0};
}

void ThreadEngine::finish(const IoRequest& request, const Status& status, std::uint64_t now,
                          EngineControl& control, EngineOutcome& outcome) {
  const std::scoped_lock lock(mutex_);
  if (!status.ok()) {
    if (!outcome.error.ok()) return;
    Error failed = status.error();
    failed.detail = request.offset_bytes;
    outcome.error = failed;
    return;
  }
  ++outcome.requests;
  (request.write ? outcome.written_bytes : outcome.read_bytes) += job_.block_bytes;
  outcome.last_completion_ns = std::max(outcome.last_completion_ns, now);
  control.done_bytes.fetch_add(job_.block_bytes, std::memory_order_relaxed);
}

void ThreadEngine::work(unsigned slot, EngineControl& control, EngineOutcome& outcome) {
  const auto length = static_cast<std::size_t>(job_.block_bytes);
  std::uint8_t* buffer = buffer_.data() + slot * length;
  std::uint64_t serial = job_.data_seed + (std::uint64_t{slot} << 48);
  while (const auto request = take(control, outcome)) {
    if (request->write) stamp_unique({buffer, length}, ++serial);
    const std::uint64_t start = now_ns();
    const Status status = transfer(*request, {buffer, length});
    const std::uint64_t end = now_ns();
    if (status.ok()) outcome.latency.record(end - start);
    finish(*request, status, end, control, outcome);
  }
}

}  // namespace

std::unique_ptr<IoEngine> make_thread_engine() {
  return std::make_unique<ThreadEngine>();
}

}  // namespace volt
