#include "daemon/worker_pool.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

#include "daemon/options.h"

namespace volt {
namespace {

constexpr int wake_signal = SIGUSR1;
constexpr auto wake_interval = std::chrono::milliseconds(5);

constexpr unsigned disk_queue_depth = 32;  // of SATA; programs seldom ask for more
constexpr unsigned min_disk_threads = 4;
constexpr unsigned min_memory_threads = 2;  // a long request must not hold up status.json

unsigned default_threads(bool in_memory) noexcept {
  if (!in_memory) return disk_queue_depth;
  return std::clamp(std::thread::hardware_concurrency(), min_memory_threads, disk_queue_depth);
}

// A handler that does nothing, without SA_RESTART: the signal only ends a blocking read(2).
void install_wake_handler() noexcept {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  ::sigaction(wake_signal, &action, nullptr);
}

}  // namespace

WorkerPool::State::~State() {
  if (ended_fd >= 0) ::close(ended_fd);
}

Result<WorkerPool> WorkerPool::create(unsigned threads, bool in_memory) {
  WorkerPool pool;
  pool.state_ = std::make_unique<State>();
  pool.state_->ended_fd = ::eventfd(0, EFD_CLOEXEC);
  if (pool.state_->ended_fd < 0) return error_from_errno("cannot make an event", errno);
  const unsigned wanted = threads == 0 ? default_threads(in_memory) : threads;
  for (unsigned i = 0; i < wanted; ++i) {
    auto buffer = RequestBuffer::create();
    if (!buffer) return buffer.error();
    const bool enough = threads == 0 && i >= min_disk_threads;
    if (!buffer->locked() && enough) break;
    pool.buffers_.push_back(std::move(*buffer));
  }
  return pool;
}

WorkerPool::~WorkerPool() {
  if (state_ != nullptr) stop();
}

bool WorkerPool::memory_locked() const noexcept {
  for (const RequestBuffer& buffer : buffers_) {
    if (!buffer.locked()) return false;
  }
  return true;
}

int WorkerPool::ended_fd() const noexcept {
  return state_->ended_fd;
}

Status WorkerPool::start(ServedVolume* volume, FuseMount* mount) {
  install_wake_handler();
  state_->running = threads();
  threads_.reserve(buffers_.size());
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    try {
      threads_.emplace_back(serve, state_.get(), volume, mount, &buffers_[i]);
    } catch (const std::system_error& error) {
      state_->running -= static_cast<unsigned>(buffers_.size() - i);
      stop();
      return Error{ErrorCode::no_memory, error.code().value(), "cannot start a thread", 0};
    }
  }
  return {};
}

void WorkerPool::serve(State* state, ServedVolume* volume, FuseMount* mount,
                       RequestBuffer* buffer) {
  const int fd = mount->fd();
  while (!state->stopping.load(std::memory_order_relaxed)) {
    const ssize_t length = ::read(fd, buffer->request(), buffer->request_bytes());
    if (length > 0) {
      if (!serve_fast(*volume, fd, *buffer, static_cast<std::size_t>(length))) {
        mount->process(buffer->request(), static_cast<std::size_t>(length));
      }
      continue;
    }
    // ENOENT: the request was taken back by the kernel before it was read.
    const bool again = length < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT);
    if (!again) break;  // ENODEV: unmounted
  }
  if (state->running.fetch_sub(1) == 1) {
    const std::uint64_t one = 1;
    const ssize_t written = ::write(state->ended_fd, &one, sizeof one);
    static_cast<void>(written);
  }
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
}

}  // namespace volt
