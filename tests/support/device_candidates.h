// Every device and stack that the conformance and fault suites run against: one line each.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "blockdev/backing/stripe_device.h"
#include "blockdev/device/borrowed_device.h"
#include "blockdev/device/clock.h"
#include "blockdev/layers/align_device.h"
#include "blockdev/layers/cut_device.h"
#include "blockdev/layers/encrypted_device.h"
#include "blockdev/layers/extent_map_device.h"
#include "blockdev/layers/guard_device.h"
#include "blockdev/layers/slice_device.h"
#include "blockdev/layers/stats_device.h"
#include "blockdev/simulate/crash_device.h"
#include "blockdev/simulate/delay_device.h"
#include "blockdev/simulate/fault_device.h"
#include "blockdev/simulate/model_device.h"
#include "blockdev/stack/device_stack.h"
#include "tests/support/planned_devices.h"
#include "tests/support/test_devices.h"

namespace volt {

struct DeviceCandidate {
  const char* name;
  // Builds the device over `base`; a device that is no decorator drops it. Null: cannot be had
  // here.
  std::function<DevicePtr(DevicePtr base)> build;
  bool decorator = true;
  bool planned = true;  // plans whole blocks in aligned memory, over a file

  friend void PrintTo(const DeviceCandidate& candidate, std::ostream* out) {
    *out << candidate.name;
  }
};

inline DevicePtr aligned(DevicePtr child) {
  auto device = AlignDevice::create(std::move(child));
  EXPECT_TRUE(device.ok());
  return *std::move(device);
}

// From `offset` to `less` bytes before the end.
inline DevicePtr sliced(DevicePtr child, std::uint64_t offset, std::uint64_t less) {
  const std::uint64_t length = child->size() - offset - less;
  auto device = SliceDevice::create(std::move(child), offset, length);
  EXPECT_TRUE(device.ok());
  return *std::move(device);
}

// Claims more than there is, and then only what is there.
inline DevicePtr whole_of_a_cut(DevicePtr child) {
  const std::uint64_t size = child->size();
  auto device = CutDevice::create(std::move(child), 2 * size);
  EXPECT_TRUE(device.ok());
  return sliced(*std::move(device), 0, size);
}

inline DevicePtr encrypted(DevicePtr child, std::unique_ptr<const UnitCipher> cipher,
                           std::uint64_t first_unit = 256) {
  auto device = EncryptedDevice::create(std::move(child), std::move(cipher), first_unit);
  EXPECT_TRUE(device.ok());
  return *std::move(device);
}

inline std::unique_ptr<const UnitCipher> cascade(const char* name) {
  const CascadeSpec& spec = *find_cascade(name);
  auto cipher = CascadeCipher::create(spec, random_bytes_of(spec.xts_key_bytes(), 5));
  EXPECT_TRUE(cipher.ok());
  return *std::move(cipher);
}

inline DevicePtr picky(DevicePtr child, std::uint32_t block_bytes = 4096) {
  return std::make_unique<PickyDevice>(std::move(child), block_bytes, 512);
}

// Keeps a folder alive as long as the device.
class TempFileDevice final : public ForwardingDevice {
 public:
  TempFileDevice(std::unique_ptr<TempDir> dir, DevicePtr child)
      : ForwardingDevice(std::move(child)), dir_(std::move(dir)) {}

 private:
  bool do_plan(PlannedIo* io) noexcept override { return plan_child(io); }

  std::unique_ptr<TempDir> dir_;
};

inline DevicePtr file_device(const char* folder, DirectIo direct) {
  auto dir = std::make_unique<TempDir>(folder);
  const ContainerOptions options{.direct = direct, .discard = true};
  auto file = FileDevice::open(dir->make_file("container", 2 * 1048576), options);
  EXPECT_TRUE(file.ok());
  if (direct == DirectIo::on && !(*file)->direct()) return nullptr;
  return std::make_unique<TempFileDevice>(std::move(dir), *std::move(file));
}

inline DevicePtr opened_container(const char* folder, DirectIo direct) {
  auto dir = std::make_unique<TempDir>(folder);
  const ContainerOptions options{.direct = direct, .discard = true};
  auto container = open_container(dir->make_file("container", 2 * 1048576), options);
  EXPECT_TRUE(container.ok());
  auto plain = compose_plain(std::move(container->device), {.discard = true}, nullptr);
  EXPECT_TRUE(plain.ok());
  return std::make_unique<TempFileDevice>(std::move(dir), *std::move(plain));
}

inline DevicePtr delayed(DevicePtr base) {
  static ManualClock clock;
  const DelayLimits limits{.latency_ns = 1000000, .bytes_per_second = 1000000};
  return std::make_unique<DelayDevice>(std::move(base), limits, clock);
}

inline DevicePtr encrypted_by_helpers(DevicePtr child) {
  auto cipher = std::make_unique<ToyCipher>();
  auto pool = CryptoPool::create(*cipher, 2, 1);
  EXPECT_TRUE(pool.ok());
  auto device = EncryptedDevice::create(std::move(child), std::move(cipher), 256, *std::move(pool));
  EXPECT_TRUE(device.ok());
  return *std::move(device);
}

inline DevicePtr encrypted_long_units(DevicePtr child) {
  return encrypted(std::move(child), std::make_unique<ToyCipher>(4096), 32);
}

// Two ciphers that give something else in the other order, and a window between.
inline DevicePtr encrypted_twice(DevicePtr base) {
  DevicePtr inner = encrypted(std::move(base), std::make_unique<ToyCipher>(), 77);
  return encrypted(sliced(std::move(inner), 4096, 8192), cascade("serpent"), 3);
}

// The second 128 KiB lie at the end of the container, and what follows in their place, numbered
// otherwise.
inline DevicePtr extent_mapped(DevicePtr base) {
  const std::uint64_t size = align_down(base->size(), 4096);
  constexpr std::uint64_t border = 131072;
  auto map = ExtentMap::create({
      Extent::encrypted(0, border, 0, true),
      Extent::plain(border, border, size - border, true),
      {ExtentKind::encrypted, 2 * border, size - 2 * border, border, 7 * unit_bytes, true},
  });
  EXPECT_TRUE(map.ok());
  auto device =
      ExtentMapDevice::create(std::move(base), *std::move(map), std::make_unique<ToyCipher>());
  EXPECT_TRUE(device.ok());
  return *std::move(device);
}

// No cipher, and the places in the container are inside data units.
inline DevicePtr extent_mapped_plain(DevicePtr base) {
  const std::uint64_t size = align_down(base->size(), 512);
  constexpr std::uint64_t border = 66048;
  auto map = ExtentMap::create({
      Extent::plain(0, border, 99, true),
      Extent::plain(border, border, size - border, true),
      Extent::plain(2 * border, size - 3 * border, border + 100, true),
  });
  EXPECT_TRUE(map.ok());
  auto device = ExtentMapDevice::create(std::move(base), *std::move(map), nullptr);
  EXPECT_TRUE(device.ok());
  return *std::move(device);
}

// Keeps what it lends.
class LenderDevice final : public ForwardingDevice {
 public:
  explicit LenderDevice(DevicePtr owned)
      : ForwardingDevice(std::make_unique<BorrowedDevice>(*owned)), owned_(std::move(owned)) {}

 private:
  Status do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept override {
    return child().write_consuming(offset, buffer);
  }
  bool do_plan(PlannedIo* io) noexcept override { return plan_child(io); }

  DevicePtr owned_;
};

inline DevicePtr borrowed(DevicePtr base) {
  return std::make_unique<LenderDevice>(std::move(base));
}

// The base is one member of three.
inline DevicePtr striped(DevicePtr base, std::uint64_t chunk_bytes) {
  std::vector<DevicePtr> members;
  const std::uint64_t size = base->size();
  members.push_back(memory_device(size));
  members.push_back(std::move(base));
  members.push_back(memory_device(size + chunk_bytes - 1 - size % chunk_bytes));
  auto device = StripeDevice::create(std::move(members), chunk_bytes);
  EXPECT_TRUE(device.ok());
  return *std::move(device);
}

// A disk ten thousand times as fast as one, so that tests end.
inline DevicePtr modelled(DevicePtr base) {
  static const DiskProfile fast = [] {
    DiskProfile profile = *find_disk_profile("hdd-5400");
    profile.revolution_ns /= 10000;
    profile.outer_bytes_per_second *= 10000;
    profile.settle_ns /= 10000;
    profile.seek_ns_per_root_track /= 10000;
    profile.command_ns /= 10000;
    profile.interface_bytes_per_second *= 10000;
    profile.interface_command_ns /= 10000;
    return profile;
  }();
  auto device =
      ModelDevice::create(std::move(base), {.profile = &fast, .disks = 2, .start_percent = 54});
  EXPECT_TRUE(device.ok());
  return *std::move(device);
}

inline std::vector<DeviceCandidate> device_candidates() {
  const auto toy = [] { return std::make_unique<ToyCipher>(); };
  return {
      {"Memory", [](DevicePtr) { return memory_device(1048576); }, false, false},
      {"MemoryOfBlocks", [](DevicePtr) { return memory_device(1048576 * 2, 4096); }, false, false},
      {"File", [](DevicePtr) { return file_device(nullptr, DirectIo::off); }, false},
      {"FileDirect", [](DevicePtr) { return file_device(".", DirectIo::on); }, false},
      {"Container", [](DevicePtr) { return opened_container(nullptr, DirectIo::off); }, false},
      {"ContainerDirect", [](DevicePtr) { return opened_container(".", DirectIo::automatic); },
       false},
      {"Slice", [](DevicePtr base) { return sliced(std::move(base), 4099, 70001); }},
      {"Cut", [](DevicePtr base) { return whole_of_a_cut(std::move(base)); }},
      {"Stats", [](DevicePtr base) { return std::make_unique<StatsDevice>(std::move(base)); }},
      {"Guard",
       [](DevicePtr base) {
         const std::uint64_t end = base->size();
         return std::make_unique<GuardDevice>(std::move(base), end, end);
       }},
      {"Fault",
       [](DevicePtr base) { return std::make_unique<FaultDevice>(std::move(base), FaultPlan{}); }},
      {"Crash", [](DevicePtr base) { return std::make_unique<CrashDevice>(std::move(base)); }, true,
       false},
      {"Delay", [](DevicePtr base) { return delayed(std::move(base)); }, true, false},
      {"AlignNothing", [](DevicePtr base) { return aligned(std::move(base)); }},
      {"Align512", [](DevicePtr base) { return aligned(picky(std::move(base), 512)); }},
      {"Align4096", [](DevicePtr base) { return aligned(picky(std::move(base))); }},
      {"Align65536", [](DevicePtr base) { return aligned(picky(std::move(base), 65536)); }},
      {"Encrypted", [=](DevicePtr base) { return encrypted(std::move(base), toy()); }},
      {"EncryptedBlocks", [=](DevicePtr base) { return encrypted(picky(std::move(base)), toy()); }},
      {"EncryptedCascade",
       [](DevicePtr base) { return encrypted(std::move(base), cascade("aes-twofish")); }},
      {"EncryptedByHelpers", [](DevicePtr base) { return encrypted_by_helpers(std::move(base)); }},
      {"EncryptedLongUnits", [](DevicePtr base) { return encrypted_long_units(std::move(base)); }},
      {"EncryptedTwice", [](DevicePtr base) { return encrypted_twice(std::move(base)); }},
      {"ExtentMap", [](DevicePtr base) { return extent_mapped(std::move(base)); }},
      {"ExtentMapPlain", [](DevicePtr base) { return extent_mapped_plain(std::move(base)); }},
      {"Borrowed", [](DevicePtr base) { return borrowed(std::move(base)); }},
      {"Stripe", [](DevicePtr base) { return striped(std::move(base), 4096); }, true, false},
      {"StripeLong", [](DevicePtr base) { return striped(std::move(base), 65536); }, true, false},
      {"Model", [](DevicePtr base) { return modelled(std::move(base)); }, true, false},
      {"StackBuffered",
       [=](DevicePtr base) {
         return aligned(encrypted(sliced(std::move(base), 65536, 131072 + 512), toy()));
       }},
      {"StackDirect",
       [=](DevicePtr base) {
         return aligned(
             encrypted(sliced(aligned(picky(std::move(base))), 65536, 65536 + 512), toy()));
       }},
      {"StackDirectShifted",  // the volume's blocks lie in two of the disk's
       [=](DevicePtr base) {
         return aligned(
             encrypted(sliced(aligned(picky(std::move(base))), 512, 65536 + 512), toy()));
       },
       true, false},
      {"StackOfExtents",
       [](DevicePtr base) {
         return std::make_unique<StatsDevice>(
             aligned(extent_mapped(aligned(picky(std::move(base))))));
       }},
  };
}

// A candidate, and the way that its suite takes into it: calls, or planned requests over a file.
struct SuiteCase {
  DeviceCandidate candidate;
  bool planned = false;

  DevicePtr make_base(std::uint64_t size) const {
    if (planned) return std::make_unique<AnonymousFile>(size);
    return memory_device(size);
  }
  // Null: cannot be had here. `adapter` (may be null) receives the adapter, or null for calls.
  DevicePtr build(DevicePtr base, PlannedAdapter** adapter = nullptr) const {
    DevicePtr device = candidate.build(std::move(base));
    if (adapter != nullptr) *adapter = nullptr;
    if (device == nullptr || !planned) return device;
    auto planning = std::make_unique<PlannedAdapter>(std::move(device));
    if (adapter != nullptr) *adapter = planning.get();
    return planning;
  }
  std::string name() const { return std::string(candidate.name) + (planned ? "Planned" : ""); }

  friend void PrintTo(const SuiteCase& suite_case, std::ostream* out) { *out << suite_case.name(); }
};

inline std::vector<SuiteCase> suite_cases() {
  std::vector<SuiteCase> cases;
  for (const DeviceCandidate& candidate : device_candidates()) {
    cases.push_back({candidate, false});
    if (candidate.planned) cases.push_back({candidate, true});
  }
  return cases;
}

}  // namespace volt
