#include "daemon/process/watchdog.h"

#include <utility>

namespace volt {

Watchdog::Watchdog(std::chrono::milliseconds limit, std::function<void()> expired)
    : thread_([this, limit, expired = std::move(expired)] {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, limit, [this] { return done_; })) expired();
      }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

}  // namespace volt
