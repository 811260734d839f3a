#include "blockdev/simulate/model_device.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "blockdev/device/clock.h"

namespace volt {

namespace {

std::uint64_t id_of(const void* waiter) noexcept {
  return reinterpret_cast<std::uintptr_t>(waiter);
}

// libstdc++'s steady clock and monotonic_ns() are both CLOCK_MONOTONIC.
std::chrono::steady_clock::time_point time_point(std::uint64_t at_ns) noexcept {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(at_ns));
}

Geometry modelled_geometry(Geometry geometry) noexcept {
  geometry.preferred_io_bytes = 1048576;
  return geometry;
}

}  // namespace

Result<DevicePtr> ModelDevice::create(DevicePtr child, const ModelSpec& spec) {
  if (spec.profile == nullptr || spec.disks == 0 || spec.disks > max_disks) {
    return Error{ErrorCode::invalid_argument, 0, "disks of the model", spec.disks};
  }
  if (!(spec.start_percent >= 0 && spec.start_percent < 100)) {
    return Error{ErrorCode::invalid_argument, 0, "place on the modelled disks (percent)", 0};
  }
  const DiskArray array(*spec.profile, spec.disks, spec.chunk_bytes);
  const std::uint64_t capacity = array.capacity_bytes();
  const auto wanted =
      static_cast<std::uint64_t>(static_cast<double>(capacity / 100) * spec.start_percent);
  const std::uint64_t start = wanted / spec.chunk_bytes * spec.chunk_bytes;
  if (child->size() > capacity - start) {
    return Error{ErrorCode::no_space, 0, "the modelled disks are smaller", capacity - start};
  }
  return DevicePtr(new ModelDevice(std::move(child), spec, start));
}

ModelDevice::ModelDevice(DevicePtr child, const ModelSpec& spec, std::uint64_t start_bytes)
    : ForwardingDevice(modelled_geometry(child->geometry()), std::move(child)),
      start_bytes_(start_bytes),
      array_(*spec.profile, spec.disks, spec.chunk_bytes) {}

void ModelDevice::take_time(bool write, std::uint64_t offset, std::uint64_t bytes) noexcept {
  std::unique_lock lock(mutex_);
  Waiter waiter;
  waiters_.push_back(&waiter);
  const std::uint64_t before_ns = array_.next_event_ns();
  array_.submit(id_of(&waiter), write, start_bytes_ + offset, bytes, monotonic_ns());
  if (driven_ && array_.next_event_ns() < before_ns) earlier_event_.notify_one();
  wait_for(&waiter, &lock);
}

void ModelDevice::wait_for(Waiter* waiter, std::unique_lock<std::mutex>* lock) noexcept {
  while (!waiter->done) {
    if (driven_) {
      waiter->changed.wait(*lock);
    } else {
      drive(waiter, lock);
    }
  }
  std::erase(waiters_, waiter);
  // Who leaves hands the time on.
  if (!driven_ && !waiters_.empty()) waiters_.front()->changed.notify_one();
}

void ModelDevice::drive(Waiter* waiter, std::unique_lock<std::mutex>* lock) noexcept {
  driven_ = true;
  for (;;) {
    answered_.clear();
    array_.advance(monotonic_ns(), &answered_);
    for (const std::uint64_t id : answered_) {
      const auto other = std::find_if(waiters_.begin(), waiters_.end(),
                                      [&](const Waiter* one) { return id_of(one) == id; });
      if (other == waiters_.end()) continue;
      (*other)->done = true;
      (*other)->changed.notify_one();
    }
    if (waiter->done) break;
    const std::uint64_t next_ns = array_.next_event_ns();
    if (next_ns == DiskModel::never) {
      earlier_event_.wait(*lock);
    } else {
      earlier_event_.wait_until(*lock, time_point(next_ns));
    }
  }
  driven_ = false;
}

Status ModelDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  VOLT_TRY(child().read(offset, buffer));
  take_time(false, offset, buffer.size());
  return {};
}

Status ModelDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  VOLT_TRY(child().write(offset, buffer));
  take_time(true, offset, buffer.size());
  return {};
}

Status ModelDevice::do_flush() noexcept {
  VOLT_TRY(child().flush());
  std::unique_lock lock(mutex_);
  Waiter waiter;
  waiters_.push_back(&waiter);
  array_.submit_flush(id_of(&waiter));
  if (driven_) earlier_event_.notify_one();
  wait_for(&waiter, &lock);
  return {};
}

}  // namespace volt
