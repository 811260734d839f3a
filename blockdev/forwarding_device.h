// The base of decorators: a layer writes only what it changes.
#pragma once

#include <utility>

#include "blockdev/block_device.h"

namespace volt {

// Owns its child, and hands reads, writes, flushes and discards on as they come.
// Two ways past do_read() and do_write() are shut until a layer opens them, so that one that
// changes only those two changes every request: write_consuming() comes to do_write(), and
// nothing is planned. A layer that only looks on, or moves offsets, overrides do_write_consuming()
// and do_plan() too. Thread contract: as BlockDevice.
class ForwardingDevice : public BlockDevice {
 protected:
  // By reference, so that a layer may work its geometry out of the child's in the same call.
  explicit ForwardingDevice(DevicePtr&& child) noexcept
      : BlockDevice(child->geometry()), child_(std::move(child)) {}
  ForwardingDevice(const Geometry& geometry, DevicePtr&& child) noexcept
      : BlockDevice(geometry), child_(std::move(child)) {}
  BlockDevice& child() const noexcept { return *child_; }
  bool plan_child(PlannedIo* io) noexcept { return plan_below(*child_, io); }

  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_flush() noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;

 private:
  DevicePtr child_;
};

}  // namespace volt
