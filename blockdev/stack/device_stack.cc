#include "blockdev/stack/device_stack.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "blockdev/layers/align_device.h"
#include "blockdev/layers/cut_device.h"
#include "blockdev/layers/encrypted_device.h"
#include "blockdev/layers/extent_map_device.h"
#include "blockdev/stack/stack_layers.h"

namespace volt {

namespace {

// One for every other core: the thread that has the request works as well.
unsigned helper_count() noexcept {
  constexpr unsigned most = 15;
  return std::min(std::max(std::thread::hardware_concurrency(), 1U) - 1, most);
}

Result<std::unique_ptr<CryptoPool>> pool_for(const UnitCipher& cipher) {
  return CryptoPool::create(cipher, helper_count());
}

// The commonest volume, one encrypted area, needs no look at a map for each request.
Result<DevicePtr> one_area(DevicePtr container, const Extent& area, OpenedVolume& volume,
                           const StackOptions& options) {
  StackOptions own = options;
  own.read_only = options.read_only || !area.writable;
  auto window = add_window(std::move(container), area.source, area.length, own);
  if (!window.ok()) return window;
  auto pool = pool_for(*volume.cipher);
  if (!pool.ok()) return pool.error();
  const std::uint64_t first_unit = area.tweak_offset / volume.cipher->data_unit_bytes();
  return EncryptedDevice::create(*std::move(window), std::move(volume.cipher), first_unit,
                                 *std::move(pool));
}

Result<DevicePtr> mapped_areas(DevicePtr container, OpenedVolume& volume,
                               const StackOptions& options) {
  const std::uint64_t size = container->size();
  auto window = add_window(std::move(container), 0, size, options);
  if (!window.ok()) return window;
  std::unique_ptr<CryptoPool> pool;
  if (volume.cipher != nullptr) {
    auto made = pool_for(*volume.cipher);
    if (!made.ok()) return made.error();
    pool = *std::move(made);
  }
  return ExtentMapDevice::create(*std::move(window), volume.map, std::move(volume.cipher),
                                 std::move(pool));
}

}  // namespace

Result<DevicePtr> compose_volume(DevicePtr container, OpenedVolume& volume,
                                 const StackOptions& options, StatsDevice** stats) {
  const std::uint64_t end = volume.end_in_container();
  if (end > container->size()) {
    if (!options.read_only) {
      return Error{ErrorCode::bad_header, 0, "cut short: can only be read", container->size()};
    }
    auto cut = CutDevice::create(std::move(container), end);
    if (!cut.ok()) return cut;
    container = *std::move(cut);
  }
  const auto extents = volume.map.extents();
  const bool one = extents.size() == 1 && extents.front().kind == ExtentKind::encrypted;
  auto areas = one ? one_area(std::move(container), extents.front(), volume, options)
                   : mapped_areas(std::move(container), volume, options);
  if (!areas.ok()) return areas;
  auto aligned = AlignDevice::create(*std::move(areas));
  if (!aligned.ok()) return aligned;
  return add_stats(add_guard(*std::move(aligned), volume.begin_in_container(), options), stats);
}

}  // namespace volt
