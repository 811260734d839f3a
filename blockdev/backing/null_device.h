// A device that does nothing: what is above it is what gets measured.
#pragma once

#include "blockdev/device/block_device.h"

namespace volt {

// Writes vanish; reads leave the caller's buffer as it is.
class NullDevice final : public BlockDevice {
 public:
  explicit NullDevice(std::uint64_t size_bytes) noexcept
      : BlockDevice(Geometry{.size_bytes = size_bytes, .can_discard = true}) {}

 private:
  Status do_read(std::uint64_t, MutableByteSpan) noexcept override { return {}; }
  Status do_write(std::uint64_t, ByteSpan) noexcept override { return {}; }
  Status do_flush() noexcept override { return {}; }
  Status do_discard(std::uint64_t, std::uint64_t) noexcept override { return {}; }
};

}  // namespace volt
