// Requests that have to wait for something, done beside the threads that must not wait.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "crypto/result.h"
#include "daemon/front_door.h"
#include "daemon/served_volume.h"

namespace volt {

struct Errand {
  RequestBuffer* buffer = nullptr;
  std::size_t length = 0;                // of the request in it
  std::atomic<bool>* pending = nullptr;  // set to false when the buffer is free again
};

// Thread contract: give() from any thread; the rest from one.
class Errands {
 public:
  Errands(ServedVolume* volume, FrontDoor* door) noexcept : volume_(volume), door_(door) {}
  ~Errands() { stop(); }
  Errands(const Errands&) = delete;
  Errands& operator=(const Errands&) = delete;

  // Errors: no_memory (no threads to be had).
  Status start(unsigned threads);
  // False: as many as there is room for are waiting already.
  bool give(const Errand& errand) noexcept;
  // Does what was given, and ends the threads.
  void stop() noexcept;

 private:
  static constexpr std::size_t room = 64;
  void work() noexcept;

  ServedVolume* volume_;
  FrontDoor* door_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable given_;
  std::array<Errand, room> queue_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

// Serves any request from its buffer, on this thread.
void serve_request(ServedVolume& volume, FrontDoor& door, RequestBuffer& buffer,
                   std::size_t length) noexcept;

}  // namespace volt
