// Headers stand at any multiple of 512 bytes, whatever the device demands.
#pragma once

#include "blockdev/device/borrowed_device.h"
#include "blockdev/layers/align_device.h"

namespace volt {

// A byte-addressable view of a device that stays its owner's and must outlive the view.
// Errors: no_memory.
inline Result<DevicePtr> unaligned_view(BlockDevice& device) {
  return AlignDevice::create(std::make_unique<BorrowedDevice>(device));
}

}  // namespace volt
