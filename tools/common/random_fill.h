// Filling a device with bytes that cannot be told from random ones, at the speed of a cipher.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "blockdev/device/block_device.h"
#include "crypto/base/result.h"

namespace volt {

// Writes [offset, offset + length) of `device` with the encryption of zeros under a key that is
// made for this one call and forgotten: not under the volume's own key, or else the outer volume's
// password would show which part is free and which is a hidden volume.
// offset and length are multiples of 512. `progress` (may be empty) receives the bytes done.
// Errors: cancelled once *cancel is set; no_space, io; no_memory.
Status fill_random(BlockDevice& device, std::uint64_t offset, std::uint64_t length,
                   const std::atomic<bool>& cancel,
                   const std::function<void(std::uint64_t)>& progress);

}  // namespace volt
