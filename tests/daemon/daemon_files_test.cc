// What voltd shows and how it answers: ranges at the end of the volume, errors as errno,
// attributes, status.json.
#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "blockdev/backing/memory_device.h"
#include "blockdev/layers/guard_device.h"
#include "blockdev/simulate/fault_device.h"
#include "blockdev/stack/device_stack.h"
#include "blockdev/stack/volume_status.h"
#include "daemon/fuse/exported_files.h"
#include "daemon/serve/io_errno.h"
#include "daemon/serve/status_text.h"
#include "daemon/serve/volume_io.h"

namespace volt {
namespace {

constexpr std::uint64_t volume_bytes = 65536;

// A volume on a memory device whose calls can be made to fail.
struct Rig {
  explicit Rig(DevicePtr device) {
    auto faulty = std::make_unique<FaultDevice>(std::move(device), FaultPlan{});
    fault = faulty.get();
    auto counted = std::make_unique<StatsDevice>(std::move(faulty));
    volume.stats = counted.get();
    volume.device = std::move(counted);
    volume.facts.volume = plain_volume_facts();
  }
  Rig() : Rig(std::move(*MemoryDevice::create(volume_bytes))) {}

  ServedVolume volume;
  FaultDevice* fault = nullptr;
};

TEST(VolumeIo, EndsAsABlockDeviceDoes) {
  Rig rig;
  std::array<std::uint8_t, 1000> bytes{};
  EXPECT_EQ(read_volume(rig.volume, 0, bytes), 1000);
  EXPECT_EQ(read_volume(rig.volume, volume_bytes - 100, bytes), 100);
  EXPECT_EQ(read_volume(rig.volume, volume_bytes, bytes), 0);
  EXPECT_EQ(read_volume(rig.volume, ~std::uint64_t{0}, bytes), 0);
  EXPECT_EQ(read_volume(rig.volume, 0, {}), 0);
  EXPECT_EQ(write_volume(rig.volume, volume_bytes - 100, bytes), 100);
  EXPECT_EQ(write_volume(rig.volume, volume_bytes, bytes), -ENOSPC);
  EXPECT_EQ(write_volume(rig.volume, ~std::uint64_t{0}, bytes), -ENOSPC);
  EXPECT_EQ(write_volume(rig.volume, volume_bytes, {}), 0);
}

TEST(VolumeIo, ErrorsReachTheCallerAndAreCounted) {
  Rig rig;
  std::array<std::uint8_t, 512> bytes{};
  FaultPlan plan;
  plan.rules = {{.kind = IoKind::read},
                {.kind = IoKind::write, .error = {ErrorCode::no_space, ENOSPC, "full", 0}},
                {.kind = IoKind::flush}};
  rig.fault->arm(plan);
  EXPECT_EQ(read_volume(rig.volume, 0, bytes), -EIO);
  EXPECT_EQ(write_volume(rig.volume, 0, bytes), -ENOSPC);
  EXPECT_EQ(flush_volume(rig.volume), -EIO);
  EXPECT_EQ(rig.volume.stats->counters(IoKind::read).errors.load(), 1U);
  EXPECT_EQ(rig.volume.stats->counters(IoKind::write).errors.load(), 1U);
  EXPECT_EQ(rig.volume.stats->counters(IoKind::flush).errors.load(), 1U);
}

TEST(VolumeIo, RemembersWhatIsNotFlushed) {
  Rig rig;
  std::array<std::uint8_t, 512> bytes{};
  EXPECT_FALSE(rig.volume.unflushed);
  EXPECT_EQ(write_volume(rig.volume, 0, bytes), 512);
  EXPECT_TRUE(rig.volume.unflushed);
  FaultPlan plan;
  plan.rules = {{.kind = IoKind::flush}};
  rig.fault->arm(plan);
  EXPECT_EQ(flush_volume(rig.volume), -EIO);
  EXPECT_TRUE(rig.volume.unflushed) << "a failed flush has flushed nothing";
  EXPECT_EQ(flush_volume(rig.volume), 0);
  EXPECT_FALSE(rig.volume.unflushed);
}

TEST(VolumeIo, ProtectionRefusesAndThenClosesForWriting) {
  auto memory = MemoryDevice::create(volume_bytes);
  ASSERT_TRUE(memory.ok());
  Rig rig(std::make_unique<GuardDevice>(std::move(*memory), 4096, 8192));
  std::array<std::uint8_t, 512> bytes{};
  EXPECT_EQ(write_volume(rig.volume, 4000, bytes), -EPERM);
  EXPECT_EQ(write_volume(rig.volume, 0, bytes), 512);
  EXPECT_EQ(rig.volume.stats->refused_writes(), 1U);
  rig.volume.facts.read_only_after_violation = true;
  EXPECT_EQ(write_volume(rig.volume, 0, bytes), -EROFS);
}

TEST(FuseErrno, EveryCodeIsAnErrno) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    EXPECT_GT(errno_of({static_cast<ErrorCode>(code), 0, "", 0}), 0) << code;
  }
  EXPECT_EQ(errno_of({ErrorCode::refused, 0, "", 0}), EPERM);
  EXPECT_EQ(errno_of({ErrorCode::io, ENODEV, "", 0}), EIO);
  EXPECT_EQ(errno_of({ErrorCode::no_space, EDQUOT, "", 0}), ENOSPC);
  EXPECT_EQ(errno_of({ErrorCode::no_space, EFBIG, "", 0}), EFBIG);
}

TEST(ExportedFiles, AttributesAreExact) {
  Rig rig;
  struct stat info {};
  ASSERT_TRUE(file_attributes(rig.volume, volume_file, &info));
  EXPECT_EQ(info.st_size, static_cast<off_t>(volume_bytes));
  EXPECT_EQ(info.st_mode, static_cast<mode_t>(S_IFREG | 0600));
  rig.volume.facts.read_only = true;
  ASSERT_TRUE(file_attributes(rig.volume, volume_file, &info));
  EXPECT_EQ(info.st_mode, static_cast<mode_t>(S_IFREG | 0400));
  rig.volume.facts.for_others = 055;  // umask 022
  ASSERT_TRUE(file_attributes(rig.volume, volume_file, &info));
  EXPECT_EQ(info.st_mode, static_cast<mode_t>(S_IFREG | 0444));
  rig.volume.facts.read_only = false;
  ASSERT_TRUE(file_attributes(rig.volume, volume_file, &info));
  EXPECT_EQ(info.st_mode, static_cast<mode_t>(S_IFREG | 0644));
  ASSERT_TRUE(file_attributes(rig.volume, root_file, &info));
  EXPECT_EQ(info.st_mode, static_cast<mode_t>(S_IFDIR | 0555));
  rig.volume.facts.for_others = 0;
  ASSERT_TRUE(file_attributes(rig.volume, root_file, &info));
  EXPECT_TRUE(S_ISDIR(info.st_mode));
  EXPECT_FALSE(file_attributes(rig.volume, 99, &info));
  EXPECT_EQ(find_exported_file("volume"), volume_file);
  EXPECT_EQ(find_exported_file("status.json"), status_file);
  EXPECT_FALSE(find_exported_file("volum").has_value());
}

TEST(StatusText, IsJsonWithTheCounters) {
  Rig rig;
  rig.volume.facts.container = "/a/b\"c\xFF";  // a name need not be UTF-8
  std::array<std::uint8_t, 512> bytes{};
  ASSERT_EQ(read_volume(rig.volume, 0, bytes), 512);
  const auto status = nlohmann::json::parse(status_text(rig.volume));
  EXPECT_EQ(status.at("schema"), "voltd/1");
  EXPECT_EQ(status.at("size_bytes"), volume_bytes);
  EXPECT_EQ(status.at("io").at("read").at("requests"), 1);
  EXPECT_EQ(status.at("io").at("read").at("bytes"), 512);
  EXPECT_TRUE(status.at("last_error").is_null());
  EXPECT_TRUE(status.at("cipher").is_null());
  EXPECT_EQ(status.at("format"), "plain");
  // The tools read what the daemon writes.
  const auto read = parse_status_json(status_text(rig.volume));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->size_bytes, volume_bytes);
  EXPECT_EQ(read->volume_text("format"), "plain");
  ASSERT_NE(read->io_of("read"), nullptr);
  EXPECT_EQ(read->io_of("read")->bytes, 512U);
  EXPECT_EQ(read->io_of("read")->latency.max_ns,
            status.at("io").at("read").at("latency_ns").at("max"));
}

}  // namespace
}  // namespace volt
