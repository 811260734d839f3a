#include "blockdev/device_stack.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "blockdev/align_device.h"
#include "blockdev/cut_device.h"
#include "blockdev/encrypted_device.h"
#include "blockdev/stack_layers.h"

namespace volt {

namespace {

// One for every other core: the thread that has the request works as well.
unsigned helper_count() noexcept {
  constexpr unsigned most = 15;
  return std::min(std::max(std::thread::hardware_concurrency(), 1U) - 1, most);
}

// The data area is presented in whole data units.
std::uint64_t whole_units(std::uint64_t bytes) noexcept {
  return bytes / unit_bytes * unit_bytes;
}

}  // namespace

Result<DevicePtr> compose_volume(DevicePtr container, const UnlockedVolume& volume,
                                 const StackOptions& options, StatsDevice** stats) {
  const VolumeGeometry& area = volume.geometry;
  const std::uint64_t area_end = area.data_offset_bytes + whole_units(area.data_bytes);
  if (area_end > container->size()) {
    if (!options.read_only) {
      return Error{ErrorCode::bad_header, 0, "cut short: can only be read", container->size()};
    }
    auto cut = CutDevice::create(std::move(container), area_end);
    if (!cut.ok()) return cut;
    container = *std::move(cut);
  }
  auto window = add_window(std::move(container), area.data_offset_bytes,
                           whole_units(area.data_bytes), options);
  if (!window.ok()) return window;
  auto cipher = make_volume_cipher(volume, options.kernels);
  if (!cipher.ok()) return cipher.error();
  auto pool = CryptoPool::create(**cipher, helper_count());
  if (!pool.ok()) return pool.error();
  auto encrypted = EncryptedDevice::create(*std::move(window), *std::move(cipher), area.first_unit,
                                           *std::move(pool));
  if (!encrypted.ok()) return encrypted;
  auto aligned = AlignDevice::create(*std::move(encrypted));
  if (!aligned.ok()) return aligned;
  return add_stats(add_guard(*std::move(aligned), area.data_offset_bytes, options), stats);
}

}  // namespace volt
