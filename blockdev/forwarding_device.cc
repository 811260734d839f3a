#include "blockdev/forwarding_device.h"

namespace volt {

Status ForwardingDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  return child_->read(offset, buffer);
}

Status ForwardingDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  return child_->write(offset, buffer);
}

Status ForwardingDevice::do_flush() noexcept {
  return child_->flush();
}

Status ForwardingDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  return child_->discard(offset, length);
}

}  // namespace volt
