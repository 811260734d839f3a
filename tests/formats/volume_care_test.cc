#include "blockdev/formats/veracrypt/volume_care.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "blockdev/backing/memory_device.h"
#include "blockdev/formats/veracrypt/header_trial.h"
#include "blockdev/formats/veracrypt/volume_format.h"
#include "tests/support/care_fixture.h"

namespace volt {
namespace {

using CareTest = CareFixture;

TEST_F(CareTest, PasswordChangeInBothPlaces) {
  const auto before = open(old_secret());
  ASSERT_TRUE(before.ok());
  const VolumeSecret next = new_secret();
  ASSERT_TRUE(change_secret(*device_, *before, old_secret(), next).ok());
  EXPECT_FALSE(open(old_secret()).ok());
  const auto after = open(next);
  ASSERT_TRUE(after.ok());
  EXPECT_TRUE(same_keys(*before, *after));
  EXPECT_EQ(after->kdf->prf, PrfId::whirlpool);
  const auto states = check_places(*device_, *after, next);
  ASSERT_TRUE(states.ok());
  ASSERT_EQ(states->size(), 2U);
  for (const PlaceState& state : *states) {
    EXPECT_TRUE(state.opens && state.same_volume) << place_name(state.place);
  }
}

TEST_F(CareTest, TheSameSecretIsRefused) {
  const auto volume = open(old_secret());
  const auto status = change_secret(*device_, *volume, old_secret(), old_secret());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(open(old_secret()).ok());
}

TEST_F(CareTest, SecretsThatTheFormatCannotHaveAreRefused) {
  const auto volume = open(old_secret());
  VolumeSecret next = new_secret();
  next.kdf = find_kdf(VolumeFormat::veracrypt, PrfId::sha512, false);
  EXPECT_FALSE(change_secret(*device_, *volume, old_secret(), next).ok());
  next = new_secret();
  const std::string too_long(65, 'x');
  next.password = bytes_of(too_long);
  EXPECT_FALSE(change_secret(*device_, *volume, old_secret(), next).ok());
  next.password = {};
  EXPECT_FALSE(change_secret(*device_, *volume, old_secret(), next).ok());
  EXPECT_TRUE(open(old_secret()).ok());
}

TEST_F(CareTest, HiddenVolumeHasItsOwnPassword) {
  make_hidden();
  const auto hidden = open(hidden_secret());
  ASSERT_TRUE(hidden.ok());
  ASSERT_TRUE(change_secret(*device_, *hidden, hidden_secret(), new_secret()).ok());
  EXPECT_FALSE(open(hidden_secret()).ok());
  const auto after = open(new_secret());
  ASSERT_TRUE(after.ok());
  EXPECT_TRUE(after->hidden());
  EXPECT_TRUE(same_keys(*hidden, *after));
  EXPECT_TRUE(open(old_secret()).ok());
}

TEST_F(CareTest, BackupFileAndRestore) {
  make_hidden();
  const auto outer = open(old_secret());
  const auto hidden = open(hidden_secret());
  const VolumeSecret hidden_is = hidden_secret();
  const auto file = make_header_backup(*outer, old_secret(), &*hidden, &hidden_is);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->size(), 131072U);
  auto backup = MemoryDevice::create(file->size());
  ASSERT_TRUE((*backup)->write(0, *file).ok());
  // Both headers have fresh salts.
  std::array<std::uint8_t, 64> salt{};
  ASSERT_TRUE(device_->read(0, salt).ok());
  EXPECT_FALSE(std::equal(salt.begin(), salt.end(), file->begin()));

  ASSERT_TRUE(change_secret(*device_, *outer, old_secret(), new_secret()).ok());
  ASSERT_TRUE(restore_header(*device_, backup->get(), request_of(old_secret()), nullptr).ok());
  const auto restored = open(old_secret());
  ASSERT_TRUE(restored.ok());
  EXPECT_TRUE(same_keys(*outer, *restored));
  EXPECT_FALSE(open(new_secret()).ok());

  wipe(65536);
  wipe(device_->size() - 65536);
  EXPECT_FALSE(open(hidden_secret()).ok());
  const auto again = restore_header(*device_, backup->get(), request_of(hidden_secret()), nullptr);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->hidden());
  EXPECT_TRUE(same_keys(*hidden, *open(hidden_secret())));
}

TEST_F(CareTest, BackupFileOfAnOuterVolumeAloneTellsNothingAboutAHiddenOne) {
  const auto outer = open(old_secret());
  const auto file = make_header_backup(*outer, old_secret(), nullptr, nullptr);
  ASSERT_TRUE(file.ok());
  std::array<unsigned, 256> counts{};
  for (std::size_t i = 65536; i < file->size(); ++i) ++counts[(*file)[i]];
  for (const unsigned count : counts) EXPECT_GT(count, 150U);  // 256 expected, sigma 16
}

// Headers with good CRCs and absurd fields: refused by name and number, whether the container
// itself holds them or a backup file that is to be restored.
TEST_F(CareTest, AbsurdHeadersAreNamedAndNeverRestored) {
  constexpr std::uint64_t huge = std::uint64_t{1} << 63;
  using Field = void (*)(VolumeHeader&, std::uint64_t);
  const Field offset = [](VolumeHeader& h, std::uint64_t v) { h.data_offset_bytes = v; };
  const Field data = [](VolumeHeader& h, std::uint64_t v) { h.data_bytes = v; };
  const Field volume = [](VolumeHeader& h, std::uint64_t v) { h.volume_bytes = v; };
  const Field hidden = [](VolumeHeader& h, std::uint64_t v) { h.hidden_volume_bytes = v; };
  const Field sector = [](VolumeHeader& h, std::uint64_t v) {
    h.sector_bytes = static_cast<std::uint32_t>(v);
  };
  struct Case {
    Field set;
    std::uint64_t value;
    const char* name;
  };
  const Case cases[] = {
      {offset, container_bytes, "data offset"},
      {offset, 0, "data offset"},
      {offset, 131072 + 1, "data offset"},
      {offset, huge, "data offset"},
      {offset, UINT64_MAX - 511, "data offset"},
      {data, 0, "data size"},
      {data, 1, "data size"},
      {data, container_bytes, "data size"},
      {data, huge, "data size"},
      {data, huge - 131072, "data size"},
      {volume, 0, "volume size"},
      {volume, huge, "volume size"},
      {volume, container_bytes + 512, "volume size"},
      {hidden, container_bytes, "hidden volume size"},
      {hidden, huge, "hidden volume size"},
      {sector, 0, "sector size"},
      {sector, 3, "sector size"},
      {sector, 8192, "sector size"},
      {sector, std::uint64_t{1} << 31, "sector size"},
  };
  const auto good = open(old_secret());
  ASSERT_TRUE(good.ok());
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.name) + " " + std::to_string(one.value));
    VolumeHeader header = good->header;
    one.set(header, one.value);
    SealedHeader sealed{};
    const MutableByteSpan output(sealed);
    const VolumeSecret with = old_secret();
    ASSERT_TRUE(seal_headers(header, good->keys.span(), good->mode, *good->cascade,
                             kdf_parameters(*with.kdf, 0), with.password, {&output, 1})
                    .ok());
    auto file = MemoryDevice::create(131072);
    ASSERT_TRUE((*file)->write(0, sealed).ok());
    const auto restored = restore_header(*device_, file->get(), request_of(with), nullptr);
    ASSERT_FALSE(restored.ok());
    EXPECT_EQ(restored.error().code, ErrorCode::bad_header);
    EXPECT_EQ(restored.error().detail, one.value);
    EXPECT_TRUE(std::string(restored.error().context).starts_with(one.name));
    EXPECT_TRUE(same_keys(*good, *open(with)));
    ASSERT_TRUE(device_->write(container_bytes - 131072, sealed).ok());
    UnlockRequest backup = request_of(with);
    backup.backup_header = true;
    UnlockReport report;
    const auto opened = unlock_volume(*device_, backup, &report);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, ErrorCode::bad_header);
    EXPECT_NE(report.header_problem.find(one.name), std::string::npos) << report.header_problem;
  }
}

TEST_F(CareTest, RestoreFromTheEmbeddedBackup) {
  const auto before = open(old_secret());
  wipe(0);
  ASSERT_TRUE(restore_header(*device_, nullptr, request_of(old_secret()), nullptr).ok());
  const auto after = open(old_secret());
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->place, HeaderPlace::primary);
  EXPECT_TRUE(same_keys(*before, *after));
  EXPECT_FALSE(restore_header(*device_, nullptr, request_of(new_secret()), nullptr).ok());
}

TEST_F(CareTest, RestoreOfAForeignHeaderIsRefused) {
  auto larger = MemoryDevice::create(4 * container_bytes);
  FormatRequest request = format_request(old_secret());
  const auto made = format_volume(**larger, request);
  ASSERT_TRUE(made.ok());
  const auto file = make_header_backup(*made, old_secret(), nullptr, nullptr);
  auto backup = MemoryDevice::create(file->size());
  ASSERT_TRUE((*backup)->write(0, *file).ok());
  const auto status = restore_header(*device_, backup->get(), request_of(old_secret()), nullptr);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::bad_header);
}

TEST_F(CareTest, ExpandMovesTheBackups) {
  for (const std::uint64_t growth :
       {std::uint64_t{512}, std::uint64_t{65536}, std::uint64_t{131072}, std::uint64_t{1048576}}) {
    SetUp();
    make_hidden();
    const auto before = open(old_secret());
    grow(growth);
    ASSERT_TRUE(expand_volume(*device_, *before, old_secret(), container_bytes).ok()) << growth;
    for (const bool backup : {false, true}) {
      UnlockRequest request = request_of(old_secret());
      request.backup_header = backup;
      const auto after = unlock_volume(*device_, request, nullptr);
      ASSERT_TRUE(after.ok()) << growth << " backup " << backup;
      EXPECT_TRUE(same_keys(*before, *after));
      EXPECT_EQ(after->geometry.data_bytes, container_bytes + growth - 262144);
      request = request_of(hidden_secret());
      request.backup_header = backup;
      EXPECT_TRUE(unlock_volume(*device_, request, nullptr).ok()) << growth << " " << backup;
    }
    // Nothing to grow a second time.
    EXPECT_FALSE(expand_volume(*device_, *open(old_secret()), old_secret(), 0).ok());
  }
}

TEST_F(CareTest, HiddenVolumesDoNotExpand) {
  make_hidden();
  const auto hidden = open(hidden_secret());
  grow(65536);
  EXPECT_FALSE(expand_volume(*device_, *hidden, hidden_secret(), container_bytes).ok());
}

}  // namespace
}  // namespace volt
