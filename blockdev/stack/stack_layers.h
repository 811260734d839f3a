// What every stack has at its bottom and at its top. Used by the composers only.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "blockdev/layers/guard_device.h"
#include "blockdev/layers/slice_device.h"
#include "blockdev/layers/stats_device.h"
#include "blockdev/stack/device_stack.h"

namespace volt {

inline DevicePtr add_stats(DevicePtr device, StatsDevice** stats) {
  auto counted = std::make_unique<StatsDevice>(std::move(device));
  if (stats != nullptr) *stats = counted.get();
  return counted;
}

// The part of the container that the volume presents, with what the options take away.
inline Result<DevicePtr> add_window(DevicePtr device, std::uint64_t offset, std::uint64_t length,
                                    const StackOptions& options) {
  return SliceDevice::create(std::move(device), offset, length,
                             {.read_only = options.read_only, .no_discard = !options.discard});
}

// Hidden-volume protection in the volume's own offsets, above encryption, so that a request is
// refused whole.
inline DevicePtr add_guard(DevicePtr device, std::uint64_t data_offset,
                           const StackOptions& options) {
  if (options.protect_to_bytes <= options.protect_from_bytes) return device;
  const auto in_volume = [&](std::uint64_t container_offset) {
    return container_offset - std::min(container_offset, data_offset);
  };
  return std::make_unique<GuardDevice>(std::move(device), in_volume(options.protect_from_bytes),
                                       in_volume(options.protect_to_bytes));
}

}  // namespace volt
