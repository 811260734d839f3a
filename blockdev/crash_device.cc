#include "blockdev/crash_device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "blockdev/io_range.h"
#include "blockdev/seeded_random.h"

namespace volt {

namespace {

Geometry cached_geometry(const Geometry& child) noexcept {
  Geometry geometry = child;
  geometry.alignment_bytes =
      std::max(child.alignment_bytes, static_cast<std::uint32_t>(unit_bytes));
  geometry.size_bytes = align_down(child.size_bytes, geometry.alignment_bytes);
  return geometry;
}

}  // namespace

CrashDevice::CrashDevice(DevicePtr child) noexcept
    : ForwardingDevice(cached_geometry(child->geometry()), std::move(child)) {}

std::size_t CrashDevice::volatile_units() const noexcept {
  const std::scoped_lock lock(mutex_);
  return cache_.size();
}

Status CrashDevice::crash(CrashKind kind, std::uint64_t seed) {
  const std::scoped_lock lock(mutex_);
  std::uint64_t random = seed;
  for (const auto& [offset, versions] : cache_) {
    if (kind == CrashKind::lose_all) break;
    const std::uint64_t survivor = next_random(&random) % (versions.size() + 1);
    if (survivor != 0) VOLT_TRY(child().write(offset, versions[survivor - 1]));
  }
  cache_.clear();
  return {};
}

Status CrashDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  const std::scoped_lock lock(mutex_);
  VOLT_TRY(child().read(offset, buffer));
  for (auto it = cache_.lower_bound(offset);
       it != cache_.end() && it->first < offset + buffer.size(); ++it) {
    std::memcpy(buffer.data() + (it->first - offset), it->second.back().data(), unit_bytes);
  }
  return {};
}

Status CrashDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  const std::scoped_lock lock(mutex_);
  for (std::size_t done = 0; done < buffer.size(); done += unit_bytes) {
    Unit unit;
    std::memcpy(unit.data(), buffer.data() + done, unit_bytes);
    cache_[offset + done].push_back(unit);
  }
  return {};
}

Status CrashDevice::do_flush() noexcept {
  const std::scoped_lock lock(mutex_);
  for (const auto& [offset, versions] : cache_) VOLT_TRY(child().write(offset, versions.back()));
  VOLT_TRY(child().flush());
  cache_.clear();
  return {};
}

Status CrashDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  const std::scoped_lock lock(mutex_);
  cache_.erase(cache_.lower_bound(offset), cache_.lower_bound(offset + length));
  return child().discard(offset, length);
}

}  // namespace volt
