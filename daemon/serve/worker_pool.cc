#include "daemon/serve/worker_pool.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <span>
#include <system_error>

namespace volt {
namespace {

constexpr int wake_signal = SIGUSR1;
constexpr auto wake_interval = std::chrono::milliseconds(5);

constexpr unsigned disk_queue_depth = 32;  // of SATA; programs seldom ask for more
constexpr unsigned min_at_once = 4;
constexpr unsigned min_over_memory = 2;  // a long request must not hold up status.json
constexpr unsigned max_rings = 4;
constexpr unsigned min_ring_requests = 8;  // of one ring: fewer are hardly worth a thread
constexpr unsigned errand_threads = 4;

unsigned default_at_once(bool in_memory) noexcept {
  if (!in_memory) return disk_queue_depth;
  return std::clamp(std::thread::hardware_concurrency(), min_over_memory, disk_queue_depth);
}

// A handler that does nothing, without SA_RESTART: the signal only ends a blocking read(2).
void install_wake_handler() noexcept {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  ::sigaction(wake_signal, &action, nullptr);
}

}  // namespace

Result<WorkerPool> WorkerPool::create(const Serving& serving) {
  WorkerPool pool;
  pool.state_ = std::make_unique<State>();
  pool.state_->ended.reset(::eventfd(0, EFD_CLOEXEC));
  if (!pool.state_->ended) return error_from_errno("cannot make an event", errno);
  const bool by_default = serving.at_once == 0;
  const unsigned wanted = by_default ? default_at_once(serving.in_memory) : serving.at_once;
  VOLT_TRY(pool.make_buffers(wanted, by_default ? std::min(wanted, min_at_once) : wanted));
  const bool demanded = serving.engine == IoEngine::io_uring;
  if (demanded || (serving.engine == IoEngine::automatic && serving.one_file)) {
    const Status made = pool.make_rings();
    if (!made && demanded) return made.error();  // else the kernel or a sandbox forbids it
  }
  return pool;
}

// As many as `wanted` that can be locked, at least `least`.
Status WorkerPool::make_buffers(unsigned wanted, unsigned least) {
  for (unsigned count = wanted;; --count) {
    auto area = SecureBuffer::create_large(count * RequestBuffer::bytes);
    if (!area) return area.error();
    if (!area->locked() && count > least) continue;  // over the limit of locked memory
    area_ = std::move(*area);
    for (unsigned i = 0; i < count; ++i) {
      buffers_.emplace_back(area_.span().subspan(i * RequestBuffer::bytes, RequestBuffer::bytes));
    }
    return {};
  }
}

Status WorkerPool::make_rings() {
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
  const unsigned wanted = std::clamp(at_once() / min_ring_requests, 1U, std::min(cores, max_rings));
  auto team = RingTeam::create();
  if (!team) return team.error();
  std::vector<std::unique_ptr<RingWorker>> rings;
  const std::span<RequestBuffer> buffers(buffers_);
  for (unsigned i = 0; i < wanted; ++i) {
    const std::size_t begin = buffers.size() * i / wanted;
    const std::size_t end = buffers.size() * (i + 1) / wanted;
    auto ring = RingWorker::create(buffers.subspan(begin, end - begin), team->get());
    if (!ring) return ring.error();
    rings.push_back(std::move(*ring));
  }
  ring_team_ = std::move(*team);
  rings_ = std::move(rings);
  return {};
}

WorkerPool::~WorkerPool() {
  if (state_ != nullptr) stop();
}

int WorkerPool::ended_fd() const noexcept {
  return state_->ended.get();
}

Status WorkerPool::start(ServedVolume* volume, FrontDoor* door) {
  install_wake_handler();
  Status started;
  if (!rings_.empty()) {
    const int flags = ::fcntl(door->fd(), F_GETFL);
    if (flags < 0 || ::fcntl(door->fd(), F_SETFL, flags | O_NONBLOCK) != 0) {
      return error_from_errno("cannot prepare the front door", errno);
    }
    errands_ = std::make_unique<Errands>(volume, door);
    started = errands_->start(errand_threads);
  }
  if (started) started = start_threads(volume, door);
  if (!started) stop();
  return started;
}

Status WorkerPool::start_threads(ServedVolume* volume, FrontDoor* door) {
  State* const state = state_.get();
  const std::size_t count = rings_.empty() ? buffers_.size() : rings_.size();
  threads_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    ++state->running;
    try {
      if (rings_.empty()) {
        threads_.emplace_back([=, buffer = &buffers_[i]] {
          serve(*state, volume, door, buffer);
          count_out(state);
        });
      } else {
        threads_.emplace_back([=, ring = rings_[i].get(), errands = errands_.get()] {
          ring->run(volume, door, errands, state->stopping);
          count_out(state);
        });
      }
    } catch (const std::system_error& error) {
      --state->running;
      return Error{ErrorCode::no_memory, error.code().value(), "cannot start a thread", 0};
    }
  }
  return {};
}

void WorkerPool::serve(const State& state, ServedVolume* volume, FrontDoor* door,
                       RequestBuffer* buffer) noexcept {
  while (!state.stopping.load(std::memory_order_relaxed)) {
    std::size_t length = 0;
    const Received received = door->receive(*buffer, &length);
    if (received == Received::ended) break;
    if (received == Received::request) serve_request(*volume, *door, *buffer, length);
  }
}

void WorkerPool::count_out(State* state) noexcept {
  if (state->running.fetch_sub(1) != 1) return;
  const std::uint64_t one = 1;
  const ssize_t written = ::write(state->ended.get(), &one, sizeof one);
  static_cast<void>(written);
}

// The flag may be set just after a thread has looked at it and just before its read(2): the signal
// is repeated until all have seen it.
void WorkerPool::stop() noexcept {
  state_->stopping = true;
  while (state_->running.load() != 0) {
    for (std::thread& thread : threads_) ::pthread_kill(thread.native_handle(), wake_signal);
    std::this_thread::sleep_for(wake_interval);
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  errands_.reset();  // after the threads that give them
}

}  // namespace volt
