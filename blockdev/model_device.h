// A device that takes as long as modelled disks would: the disk comparison, anywhere.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "blockdev/disk_array.h"
#include "blockdev/forwarding_device.h"

namespace volt {

// Which disks, and where on them the device lies.
struct ModelSpec {
  const DiskProfile* profile = nullptr;
  unsigned disks = 1;  // more than one: RAID 0
  std::uint64_t chunk_bytes = 131072;
  double start_percent = 0;  // of the array's capacity
};

// Owns its child, which holds the data and should be much faster than the model. Each request does
// its work at once and returns when the modelled disks would have answered, in real time.
// One of the waiting threads keeps the model's time for all of them; nobody polls.
// Allocates within the model: for trials and measurements. Thread contract: as BlockDevice.
class ModelDevice final : public ForwardingDevice {
 public:
  static constexpr unsigned max_disks = 16;

  // Errors: invalid_argument (disks, percent), no_space (the child is larger than what is left of
  // the array).
  static Result<DevicePtr> create(DevicePtr child, const ModelSpec& spec);

 private:
  struct Waiter {
    bool done = false;
    std::condition_variable changed;
  };

  ModelDevice(DevicePtr child, const ModelSpec& spec, std::uint64_t start_bytes);
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_flush() noexcept override;

  void take_time(bool write, std::uint64_t offset, std::uint64_t bytes) noexcept;
  void wait_for(Waiter* waiter, std::unique_lock<std::mutex>* lock) noexcept;
  void drive(Waiter* waiter, std::unique_lock<std::mutex>* lock) noexcept;

  std::uint64_t start_bytes_;
  std::mutex mutex_;  // guards what follows
  DiskArray array_;
  bool driven_ = false;                    // one of the waiters keeps the time
  std::condition_variable earlier_event_;  // for that one
  std::vector<Waiter*> waiters_;           // all who wait, the one who drives too
  std::vector<std::uint64_t> answered_;
};

}  // namespace volt
