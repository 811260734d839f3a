// open_container: from what the user typed to a byte-addressable device.
#include <memory>
#include <utility>

#include "blockdev/align_device.h"
#include "blockdev/device_stack.h"
#include "blockdev/file_device.h"

namespace volt {

namespace {

bool demands_alignment(const Geometry& geometry) noexcept {
  return geometry.alignment_bytes > 1 || geometry.memory_alignment > 1;
}

}  // namespace

Result<Container> open_container(const std::string& spec, const ContainerOptions& options) {
  auto file = FileDevice::open(spec, options);
  if (!file.ok()) return file.error();
  Container container;
  container.path = spec;
  container.read_only = (*file)->geometry().read_only;
  container.direct = (*file)->direct();
  container.locked = (*file)->locked();
  container.device = *std::move(file);
  if (demands_alignment(container.device->geometry())) {
    auto aligned = AlignDevice::create(std::move(container.device));
    if (!aligned.ok()) return aligned.error();
    container.device = *std::move(aligned);
  }
  return container;
}

}  // namespace volt
