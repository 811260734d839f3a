#include "blockdev/formats/veracrypt/unlock_plan.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "blockdev/backing/memory_device.h"
#include "blockdev/formats/veracrypt/volume_format.h"
#include "blockdev/host/available_memory.h"
#include "crypto/base/random.h"
#include "tests/support/temp_folder.h"

namespace volt {
namespace {

constexpr std::uint64_t container_bytes = 1048576;
constexpr std::uint64_t backup_offset = container_bytes - 131072;

ByteSpan bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::vector<PlacedHeader> four_headers() {
  std::vector<PlacedHeader> headers;
  for (const HeaderPlace place : {HeaderPlace::primary, HeaderPlace::hidden, HeaderPlace::backup,
                                  HeaderPlace::backup_hidden}) {
    headers.push_back({place, {}});
    EXPECT_TRUE(random_bytes(headers.back().sealed).ok());
  }
  return headers;
}

// For every PRF and place, the pieces that the plan derives; each at most once.
using Pieces = std::map<std::pair<std::string, HeaderPlace>, unsigned>;

void collect(const std::vector<UnlockTask>& tasks, Pieces* pieces) {
  for (const UnlockTask& task : tasks) {
    EXPECT_GT(task.cost_ns, 0);
    for (const UnlockPart& part : task.parts) {
      unsigned& got = (*pieces)[{task.keys->kdf->name, task.keys->headers[part.header]->place}];
      for (std::size_t piece = part.from; piece < part.to; ++piece) {
        EXPECT_EQ(got & (1U << piece), 0U) << task.keys->kdf->name << " derives a piece twice";
        got |= 1U << piece;
      }
    }
  }
}

Pieces pieces_of(const UnlockPlan& plan) {
  Pieces pieces;
  collect(plan.first, &pieces);
  collect(plan.last, &pieces);
  return pieces;
}

TEST(UnlockPlan, DerivesEveryPieceOfTheOwnHeadersOnce) {
  const auto headers = four_headers();
  const UnlockRequest request;
  const auto plan = UnlockPlan::create(request, VolumeFormat::veracrypt, headers);
  ASSERT_TRUE(plan.ok());
  auto pieces = pieces_of(*plan);
  for (const KdfSpec& kdf : all_kdfs()) {
    if (kdf.format != VolumeFormat::veracrypt || kdf.system) continue;
    EXPECT_EQ((pieces[{kdf.name, HeaderPlace::primary}]), 7U) << kdf.name;
    EXPECT_EQ((pieces[{kdf.name, HeaderPlace::hidden}]), 7U) << kdf.name;
  }
  // Argon2id and backups wait until PBKDF2 is through with the rest, and backups cost no Argon2id.
  for (const UnlockTask& task : plan->first) EXPECT_FALSE(task.needs_memory());
  EXPECT_EQ((pieces[{"argon2id", HeaderPlace::backup}]), 0U);
  EXPECT_FALSE(plan->left_out.empty());
  EXPECT_EQ(plan->first.front().keys->kdf->prf, PrfId::sha512);
}

TEST(UnlockPlan, NamingThePrfOrTheBackupLeavesNothingOut) {
  const auto headers = four_headers();
  UnlockRequest request;
  for (const PrfId prf : {PrfId::sha512, PrfId::streebog, PrfId::argon2id}) {
    request.prf = prf;
    const auto plan = UnlockPlan::create(request, VolumeFormat::veracrypt, headers);
    ASSERT_TRUE(plan.ok());
    EXPECT_TRUE(plan->left_out.empty());
    const auto pieces = pieces_of(*plan);
    EXPECT_EQ(pieces.size(), 4U);
    for (const auto& [key, got] : pieces) EXPECT_EQ(got, 7U) << key.first;
  }
}

TEST(UnlockPlan, ADamagedHeaderChangesPlacesWithItsBackup) {
  auto headers = four_headers();
  headers[0].sealed.fill('x');
  const UnlockRequest request;
  const auto plan = UnlockPlan::create(request, VolumeFormat::veracrypt, headers);
  ASSERT_TRUE(plan.ok());
  auto pieces = pieces_of(*plan);
  EXPECT_EQ((pieces[{"argon2id", HeaderPlace::backup}]), 7U);
  EXPECT_EQ((pieces[{"argon2id", HeaderPlace::hidden}]), 7U);
  EXPECT_EQ((pieces[{"argon2id", HeaderPlace::primary}]), 0U);
  EXPECT_EQ((pieces[{"streebog", HeaderPlace::backup}]), 7U);
}

TEST(UnlockPlan, ANamedCipherNeedsNoMoreThanItsKeys) {
  const auto headers = four_headers();
  UnlockRequest request;
  request.cascade = find_cascade("aes");
  const auto plan = UnlockPlan::create(request, VolumeFormat::veracrypt, headers);
  ASSERT_TRUE(plan.ok());
  for (const auto& [key, got] : pieces_of(*plan)) {
    if (key.first != "argon2id") {
      EXPECT_EQ(got, 1U) << key.first;
    }
  }
}

// Nothing named and a few bytes damaged, which looks as random as before.
TEST(UnlockSearch, BackupsOfEveryPbkdf2PrfAndOfCascadesStepIn) {
  const std::string password = "correct horse";
  for (const PrfId prf : {PrfId::sha512, PrfId::ripemd160, PrfId::blake2s, PrfId::whirlpool}) {
    for (const char* cipher : {"aes", "aes-twofish-serpent"}) {
      auto device = MemoryDevice::create(container_bytes);
      ASSERT_TRUE(device.ok());
      FormatRequest made;
      made.cascade = find_cascade(cipher);
      made.kdf = find_kdf(VolumeFormat::veracrypt, prf, false);
      made.pim = 1;
      made.password = bytes_of(password);
      ASSERT_TRUE(format_volume(**device, made).ok());
      std::array<std::uint8_t, 16> noise{};
      ASSERT_TRUE(random_bytes(noise).ok());
      ASSERT_TRUE((*device)->write(100, noise).ok());
      UnlockRequest request;
      request.password = made.password;
      request.pim = 1;
      UnlockReport report;
      const auto opened = unlock_volume(**device, request, &report);
      ASSERT_TRUE(opened.ok()) << prf_name(prf) << " " << cipher;
      EXPECT_EQ(opened->place, HeaderPlace::backup);
      EXPECT_EQ(opened->kdf, made.kdf);
      EXPECT_EQ(opened->cascade, made.cascade);
    }
  }
}

// The password fits a primary header whose fields are absurd; its backup is good.
TEST(UnlockSearch, AGoodBackupMakesUpForAnAbsurdPrimary) {
  const std::string password = "correct horse";
  auto device = MemoryDevice::create(container_bytes);
  ASSERT_TRUE(device.ok());
  FormatRequest made;
  made.cascade = find_cascade("kuznyechik-serpent-camellia");
  made.kdf = find_kdf(VolumeFormat::veracrypt, PrfId::whirlpool, false);
  made.pim = 1;
  made.password = bytes_of(password);
  const auto volume = format_volume(**device, made);
  ASSERT_TRUE(volume.ok());
  VolumeHeader header = volume->header;
  header.data_bytes = std::uint64_t{1} << 50;
  std::array<std::uint8_t, 512> sealed{};
  const MutableByteSpan output(sealed);
  ASSERT_TRUE(seal_headers(header, volume->keys.span(), CipherMode::xts, *volume->cascade,
                           kdf_parameters(*volume->kdf, 1), made.password, {&output, 1})
                  .ok());
  ASSERT_TRUE((*device)->write(0, sealed).ok());
  UnlockRequest request;
  request.password = made.password;
  request.pim = 1;
  UnlockReport report;
  const auto opened = unlock_volume(**device, request, &report);
  ASSERT_TRUE(opened.ok()) << opened.error().context;
  EXPECT_EQ(opened->place, HeaderPlace::backup);
  EXPECT_NE(report.header_problem.find("data size"), std::string::npos);
  ASSERT_TRUE(random_bytes(sealed).ok());
  ASSERT_TRUE((*device)->write(backup_offset, sealed).ok());
  EXPECT_EQ(unlock_volume(**device, request, &report).error().code, ErrorCode::bad_header);
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST(AvailableMemory, TheTightestGroupCounts) {
  const TempFolder folder;
  const std::string root = folder.path();
  EXPECT_EQ(available_memory_bytes(root), UINT64_MAX);
  write_file(root + "/proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    8000 kB\n");
  EXPECT_EQ(available_memory_bytes(root), 8000U * 1024);
  // Version 2: the group has no limit, the one above it has; its cache can be given up.
  write_file(root + "/proc/self/cgroup", "0::/user/shell\n");
  const std::string tree = root + "/sys/fs/cgroup";
  write_file(tree + "/user/shell/memory.max", "max\n");
  write_file(tree + "/user/shell/memory.current", "50000\n");
  EXPECT_EQ(available_memory_bytes(root), 8000U * 1024);
  write_file(tree + "/user/memory.max", "1000000\n");
  write_file(tree + "/user/memory.current", "600000\n");
  EXPECT_EQ(available_memory_bytes(root), 400000U);
  write_file(tree + "/user/memory.stat", "anon 1\nfile 7\ninactive_file 100000\n");
  EXPECT_EQ(available_memory_bytes(root), 500000U);
  write_file(tree + "/user/memory.current", "2000000\n");
  EXPECT_EQ(available_memory_bytes(root), 0U);
}

TEST(AvailableMemory, VersionOneGroups) {
  const TempFolder folder;
  const std::string root = folder.path();
  write_file(root + "/proc/meminfo", "MemAvailable: 8000 kB\n");
  write_file(root + "/proc/self/cgroup", "4:cpu,cpuacct:/x\n3:memory:/box\n0::/box\n");
  const std::string group = root + "/sys/fs/cgroup/memory/box";
  write_file(group + "/memory.limit_in_bytes", "3000000\n");
  write_file(group + "/memory.usage_in_bytes", "1000000\n");
  EXPECT_EQ(available_memory_bytes(root), 2000000U);
}

}  // namespace
}  // namespace volt
