#include "daemon/errands.h"

#include <system_error>

#include "daemon/volume_io.h"

namespace volt {

void serve_request(ServedVolume& volume, FrontDoor& door, RequestBuffer& buffer,
                   std::size_t length) noexcept {
  VolumeRequest request;
  if (!door.parse(buffer, length, &request)) {
    door.serve_other(buffer, length);
    return;
  }
  door.answer(request, request.write ? write_volume(volume, request.offset, request.data)
                                     : read_volume(volume, request.offset, request.data));
}

Status Errands::start(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      return Error{ErrorCode::no_memory, error.code().value(), "cannot start a thread", 0};
    }
  }
  return {};
}

bool Errands::give(const Errand& errand) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (count_ == room) return false;
    queue_[(first_ + count_++) % room] = errand;
  }
  given_.notify_one();
  return true;
}

void Errands::work() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    given_.wait(lock, [this] { return count_ != 0 || stopping_; });
    if (count_ == 0) return;
    const Errand errand = queue_[first_];
    first_ = (first_ + 1) % room;
    --count_;
    lock.unlock();
    serve_request(*volume_, *door_, *errand.buffer, errand.length);
    errand.pending->store(false, std::memory_order_release);
    lock.lock();
  }
}

void Errands::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  given_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace volt
