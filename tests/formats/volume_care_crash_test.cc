// Password change, header restore and growing, cut off everywhere: the container still opens with
// the old or the new secret, and with the same master keys.
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "blockdev/device/borrowed_device.h"
#include "blockdev/simulate/fault_device.h"
#include "tests/support/care_fixture.h"

namespace volt {
namespace {

struct Step {
  bool flush = false;
  std::uint64_t offset = 0;
  std::vector<std::uint8_t> bytes{};
};

// Lets everything through and remembers writes and flushes in their order.
class RecordingDevice final : public BlockDevice {
 public:
  RecordingDevice(BlockDevice& child, std::vector<Step>* steps)
      : BlockDevice(child.geometry()), child_(child), steps_(steps) {}

 private:
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override {
    return child_.read(offset, buffer);
  }
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override {
    steps_->push_back({false, offset, {buffer.begin(), buffer.end()}});
    return child_.write(offset, buffer);
  }
  Status do_flush() noexcept override {
    steps_->push_back({true});
    return child_.flush();
  }

  BlockDevice& child_;
  std::vector<Step>* steps_;
};

using Operation = std::function<Status(BlockDevice&)>;

class CareCrash : public CareFixture {
 protected:
  std::vector<std::uint8_t> contents() const {
    std::vector<std::uint8_t> bytes(device_->size());
    EXPECT_TRUE(device_->read(0, bytes).ok());
    return bytes;
  }
  void set_contents(const std::vector<std::uint8_t>& bytes) const {
    ASSERT_TRUE(device_->write(0, bytes).ok());
  }

  void expect_opens(const std::string& when) const {
    auto opened = open(expected_[0]);
    if (!opened) opened = open(expected_[1]);
    ASSERT_TRUE(opened.ok()) << when;
    EXPECT_EQ(std::vector<std::uint8_t>(opened->keys.span().begin(), opened->keys.span().end()),
              master_keys_)
        << when;
  }

  // A write cache that loses what was not flushed: at every step, every unit of the writes since
  // the last flush is kept, lost, or garbled by the power failing under it, by seeded drawings.
  void crash_everywhere(const Operation& operation) const {
    const auto before = contents();
    std::vector<Step> steps;
    RecordingDevice recorder(*device_, &steps);
    ASSERT_TRUE(operation(recorder).ok());
    ASSERT_FALSE(steps.empty());
    EXPECT_TRUE(steps.back().flush) << "returns before its last write is on stable storage";
    std::mt19937_64 random(7);
    std::vector<std::uint8_t> stable = before;
    std::vector<const Step*> pending;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].flush) {
        for (const Step* step : pending) apply(*step, &stable, kept, nullptr);
        pending.clear();
      } else {
        pending.push_back(&steps[i]);
      }
      for (int drawing = 0; drawing < 6; ++drawing) {
        auto after = stable;
        for (const Step* step : pending) apply(*step, &after, drawing, &random);
        set_contents(after);
        expect_opens("seed 7, crash at step " + std::to_string(i) + ", drawing " +
                     std::to_string(drawing));
      }
    }
  }

  // The n-th write fails once, is torn, or it and all calls after it fail or are lost.
  void fail_everywhere(const Operation& operation) const {
    const auto before = contents();
    const std::vector<FaultRule> rules = {
        {.fault = FaultKind::fail, .kind = IoKind::write},
        {.fault = FaultKind::torn_write, .kind = IoKind::write},
        {.fault = FaultKind::fail, .kind = IoKind::flush},
        {.fault = FaultKind::fail, .kind = IoKind::write, .count = UINT64_MAX / 2},
        {.fault = FaultKind::lost_write, .kind = IoKind::write, .count = UINT64_MAX / 2},
    };
    for (std::size_t i = 0; i < rules.size(); ++i) {
      bool struck = true;
      for (std::uint64_t n = 1; struck; ++n) {
        ASSERT_LT(n, 100U);
        set_contents(before);
        FaultRule rule = rules[i];
        rule.nth = n;
        FaultDevice faulty(std::make_unique<BorrowedDevice>(*device_), FaultPlan{n, {rule}});
        const Status status = operation(faulty);
        struck = faulty.strikes() > 0;
        const std::string when = "rule " + std::to_string(i) + ", call " + std::to_string(n);
        EXPECT_EQ(status.ok(), !struck || rule.fault == FaultKind::lost_write) << when;
        expect_opens(when);
      }
    }
  }

  // Both, from the contents of now.
  void try_everywhere(const Operation& operation) {
    const auto before = contents();
    crash_everywhere(operation);
    set_contents(before);
    fail_everywhere(operation);
  }

  static Operation expansion_of(const UnlockedVolume& volume) {
    return [&volume](BlockDevice& device) -> Status {
      const auto grown = expand_volume(device, volume, old_secret(), container_bytes);
      return grown ? Status{} : Status{grown.error()};
    };
  }

  void keep_master_keys() {
    const auto volume = open(old_secret());
    ASSERT_TRUE(volume.ok());
    keep_master_keys_of(*volume);
  }
  void keep_master_keys_of(const UnlockedVolume& volume) {
    master_keys_.assign(volume.keys.span().begin(), volume.keys.span().end());
  }

  std::array<VolumeSecret, 2> expected_ = {old_secret(), new_secret()};

 private:
  // Of a write's units: kept, lost or garbled all of them; above that, drawn for each.
  enum Fate : int { kept, lost, garbled };
  static void apply(const Step& step, std::vector<std::uint8_t>* image, int fate,
                    std::mt19937_64* random) {
    for (std::size_t at = 0; at < step.bytes.size(); at += unit_bytes) {
      const std::size_t length = std::min(unit_bytes, step.bytes.size() - at);
      const auto unit = image->begin() + static_cast<std::ptrdiff_t>(step.offset + at);
      const int unit_fate = fate > garbled ? static_cast<int>((*random)() % (garbled + 1)) : fate;
      if (unit_fate == lost) continue;
      if (unit_fate == kept) {
        std::copy_n(step.bytes.begin() + static_cast<std::ptrdiff_t>(at), length, unit);
      } else {
        std::generate_n(unit, length, [&] { return static_cast<std::uint8_t>((*random)()); });
      }
    }
  }

  std::vector<std::uint8_t> master_keys_;
};

TEST_F(CareCrash, PasswordChange) {
  keep_master_keys();
  const auto volume = open(old_secret());
  const Operation change = [&](BlockDevice& device) {
    return change_secret(device, *volume, old_secret(), new_secret());
  };
  try_everywhere(change);
}

// The hidden volume's two headers, beside an outer volume that stays as it is.
TEST_F(CareCrash, PasswordChangeOfTheHiddenVolume) {
  make_hidden();
  for (const std::uint64_t damaged : {UINT64_MAX, std::uint64_t{65536}}) {
    if (damaged != UINT64_MAX) wipe(damaged);
    const auto volume = open(hidden_secret());
    ASSERT_TRUE(volume.ok());
    ASSERT_EQ(volume->place,
              damaged == UINT64_MAX ? HeaderPlace::hidden : HeaderPlace::backup_hidden);
    keep_master_keys_of(*volume);
    expected_ = {hidden_secret(), new_secret()};
    const Operation change = [&](BlockDevice& device) {
      return change_secret(device, *volume, hidden_secret(), new_secret());
    };
    const auto before = contents();
    try_everywhere(change);
    EXPECT_EQ(open(old_secret())->place, HeaderPlace::primary);
    set_contents(before);
  }
}

// Headers that say 4096-byte sectors, on a device whose blocks have 4096 bytes: a header's 512
// bytes then lie in a block with others.
TEST_F(CareCrash, LargeSectors) {
  FormatRequest request = format_request(old_secret());
  request.sector_bytes = 4096;
  ASSERT_TRUE(format_volume(*device_, request).ok());
  keep_master_keys();
  const auto volume = open(old_secret());
  ASSERT_EQ(volume->header.sector_bytes, 4096U);
  const Operation change = [&](BlockDevice& device) {
    return change_secret(device, *volume, old_secret(), new_secret());
  };
  try_everywhere(change);
  grow(4096);
  try_everywhere(expansion_of(*volume));
}

TEST_F(CareCrash, PasswordChangeWithADamagedPrimary) {
  keep_master_keys();
  wipe(0);
  const auto volume = open(old_secret());
  ASSERT_EQ(volume->place, HeaderPlace::backup);
  const Operation change = [&](BlockDevice& device) {
    return change_secret(device, *volume, old_secret(), new_secret());
  };
  try_everywhere(change);
}

TEST_F(CareCrash, RestoreFromAFile) {
  keep_master_keys();
  const auto volume = open(old_secret());
  const auto file = make_header_backup(*volume, old_secret(), nullptr, nullptr);
  auto backup = MemoryDevice::create(file->size());
  ASSERT_TRUE((*backup)->write(0, *file).ok());
  ASSERT_TRUE(change_secret(*device_, *volume, old_secret(), new_secret()).ok());
  const Operation restore = [&](BlockDevice& device) -> Status {
    const auto restored = restore_header(device, backup->get(), request_of(old_secret()), nullptr);
    return restored ? Status{} : Status{restored.error()};
  };
  try_everywhere(restore);
}

TEST_F(CareCrash, RestoreFromTheEmbeddedBackup) {
  keep_master_keys();
  wipe(0);
  const Operation restore = [&](BlockDevice& device) -> Status {
    const auto restored = restore_header(device, nullptr, request_of(old_secret()), nullptr);
    return restored ? Status{} : Status{restored.error()};
  };
  try_everywhere(restore);
}

TEST_F(CareCrash, Expand) {
  for (const std::uint64_t growth : {std::uint64_t{65536}, std::uint64_t{1048576}}) {
    SetUp();
    keep_master_keys();
    const auto volume = open(old_secret());
    grow(growth);
    try_everywhere(expansion_of(*volume));
  }
}

}  // namespace
}  // namespace volt
