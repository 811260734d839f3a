// A bound on how long ending may take.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace volt {

// Calls `expired` in a thread of its own unless it is destroyed within `limit`. A container that
// no longer answers must not keep the daemon alive for ever.
class Watchdog {
 public:
  Watchdog(std::chrono::milliseconds limit, std::function<void()> expired);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace volt
