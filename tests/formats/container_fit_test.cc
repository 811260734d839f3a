// Containers that are shorter or longer than their header says.
#include "blockdev/formats/veracrypt/container_fit.h"

#include <array>

#include <gtest/gtest.h>

#include "blockdev/formats/veracrypt/veracrypt_volume.h"
#include "blockdev/formats/veracrypt/volume_care.h"
#include "blockdev/formats/veracrypt/volume_format.h"
#include "blockdev/stack/device_stack.h"
#include "tests/support/test_devices.h"

namespace volt {
namespace {

constexpr std::uint64_t container_bytes = 2 * 131072 + 262144;
constexpr std::uint64_t data_offset = 131072;
constexpr std::uint64_t data_bytes = 262144;
const std::string outer_password = "outer";
const std::string hidden_password = "hidden";

ByteSpan span_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

class ContainerFitTest : public testing::Test {
 protected:
  // With a hidden volume of 64 KiB at the end.
  ContainerFitTest() : whole_(memory_device(container_bytes)) {
    FormatRequest request;
    request.cascade = find_cascade("aes");
    request.kdf = find_kdf(VolumeFormat::truecrypt, PrfId::sha512, false);
    request.password = span_of(outer_password);
    EXPECT_TRUE(format_volume(*whole_, request).ok());
    request.password = span_of(hidden_password);
    request.hidden = true;
    request.hidden_bytes = 65536;
    EXPECT_TRUE(format_volume(*whole_, request).ok());
    bytes_.resize(container_bytes);
    EXPECT_TRUE(whole_->read(0, bytes_).ok());
  }

  // The container with `size` bytes: its beginning, or followed by foreign ones.
  DevicePtr with_size(std::uint64_t size) const {
    Bytes bytes = random_bytes_of(size, 77);
    std::copy_n(bytes_.begin(), std::min<std::uint64_t>(size, container_bytes), bytes.begin());
    DevicePtr device = memory_device(size);
    EXPECT_TRUE(device->write(0, bytes).ok());
    return device;
  }

  static UnlockRequest request(const std::string& password, bool cut_allowed) {
    UnlockRequest request;
    request.password = span_of(password);
    request.format = VolumeFormat::truecrypt;
    request.prf = PrfId::sha512;
    request.cut_allowed = cut_allowed;
    return request;
  }

  static VolumeSecret secret(const std::string& password) {
    return {span_of(password), nullptr, find_kdf(VolumeFormat::truecrypt, PrfId::sha512, false), 0,
            nullptr};
  }

  DevicePtr whole_;
  Bytes bytes_;
};

TEST_F(ContainerFitTest, EveryPlaceOfTheCut) {
  const struct {
    std::uint64_t size;
    ContainerFit fit;
  } cases[] = {
      {container_bytes, ContainerFit::whole},
      {container_bytes + 4095, ContainerFit::whole},
      {container_bytes + 4096, ContainerFit::longer},
      {container_bytes - 1, ContainerFit::no_backups},
      {data_offset + data_bytes, ContainerFit::no_backups},
      {data_offset + data_bytes - 1, ContainerFit::data_cut},
      {data_offset + 512, ContainerFit::data_cut},
      {data_offset, ContainerFit::data_cut},
      {512, ContainerFit::data_cut},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.size);
    const DevicePtr device = with_size(one.size);
    UnlockReport report;
    const bool cut = one.fit == ContainerFit::data_cut;
    const auto strict = unlock_volume(*device, request(outer_password, false), &report);
    EXPECT_EQ(strict.ok(), !cut);
    if (cut) {
      EXPECT_EQ(strict.error().code, ErrorCode::bad_header);
      EXPECT_EQ(report.expected_container_bytes, container_bytes);
    }
    const auto volume = unlock_volume(*device, request(outer_password, true), nullptr);
    ASSERT_TRUE(volume.ok());
    EXPECT_EQ(container_fit(*volume, one.size), one.fit);
    EXPECT_EQ(volume->geometry.data_bytes, data_bytes);
    EXPECT_EQ(fit_notice(*volume, one.size, 0).empty(),
              one.fit == ContainerFit::whole || one.fit == ContainerFit::longer);
  }
  EXPECT_EQ(unlock_volume(*with_size(511), request(outer_password, true), nullptr).error().code,
            ErrorCode::wrong_file);
}

TEST_F(ContainerFitTest, WhatIsThereReadsAndTheRestFails) {
  constexpr std::uint64_t size = data_offset + 100000;  // not a whole unit
  auto read_all = [](DevicePtr device, std::uint64_t bytes, Bytes* out) {
    auto volume = unlock_volume(*device, request(outer_password, true), nullptr);
    ASSERT_TRUE(volume.ok());
    const auto opened = VeracryptVolume::create(*std::move(volume), device->size());
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ((*opened)->bytes_there(device->size()), bytes);
    const auto for_writing = compose_volume(memory_device(size), **opened, {}, nullptr);
    EXPECT_EQ(for_writing.error().code, ErrorCode::bad_header);
    auto stack = compose_volume(std::move(device), **opened, {.read_only = true}, nullptr);
    ASSERT_TRUE(stack.ok());
    EXPECT_EQ((*stack)->size(), data_bytes);
    out->resize(bytes);
    EXPECT_TRUE((*stack)->read(0, *out).ok());
    if (bytes == data_bytes) return;
    for (const std::uint64_t offset : {bytes, data_bytes - 512}) {
      std::array<std::uint8_t, 512> past{};
      EXPECT_EQ((*stack)->read(offset, past).error().code, ErrorCode::io) << offset;
    }
  };
  Bytes left;
  Bytes all;
  const std::uint64_t there = 100000 / 512 * 512;
  read_all(with_size(size), there, &left);
  read_all(with_size(container_bytes), data_bytes, &all);
  EXPECT_TRUE(std::equal(left.begin(), left.end(), all.begin()));
}

TEST_F(ContainerFitTest, AHiddenVolumePastTheCut) {
  const DevicePtr device = with_size(data_offset + 512);
  UnlockReport report;
  EXPECT_EQ(unlock_volume(*device, request(hidden_password, false), &report).error().code,
            ErrorCode::bad_header);
  EXPECT_EQ(report.expected_container_bytes, container_bytes);
  auto volume = unlock_volume(*device, request(hidden_password, true), nullptr);
  ASSERT_TRUE(volume.ok());
  EXPECT_NE(fit_notice(*volume, device->size(), 0).find("at least"), std::string::npos);
  const auto opened = VeracryptVolume::create(*std::move(volume), device->size());
  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE((*opened)->hidden);
  EXPECT_EQ((*opened)->bytes_there(device->size()), 0U);
  EXPECT_NE((*opened)->read_only_why, "");
  auto stack = compose_volume(with_size(data_offset + 512), **opened, {.read_only = true}, nullptr);
  ASSERT_TRUE(stack.ok());
  std::array<std::uint8_t, 512> unit{};
  EXPECT_EQ((*stack)->read(0, unit).error().code, ErrorCode::io);
}

TEST_F(ContainerFitTest, WhereAHeaderIsCutOffThePasswordIsWrong) {
  const DevicePtr device = with_size(65536 + 511);
  EXPECT_EQ(unlock_volume(*device, request(hidden_password, true), nullptr).error().code,
            ErrorCode::bad_password_or_header);
}

TEST_F(ContainerFitTest, DrivesAndOldVolumes) {
  VolumeHeader header;
  header.version = 3;
  header.volume_bytes = 18944;
  EXPECT_EQ(expected_container_bytes(header, HeaderPlace::primary), 19456U);
  EXPECT_EQ(expected_container_bytes(header, HeaderPlace::legacy_hidden), 0U);
  header.volume_bytes = 0;
  EXPECT_EQ(expected_container_bytes(header, HeaderPlace::primary), 0U);
  header.version = 5;
  header.data_offset_bytes = 1048576;
  header.data_bytes = std::uint64_t{60} << 30;
  header.volume_bytes = 16 * 1048576;
  EXPECT_EQ(expected_container_bytes(header, HeaderPlace::system), 17U * 1048576);
  header.data_offset_bytes = 32256;
  EXPECT_EQ(expected_container_bytes(header, HeaderPlace::system), 16U * 1048576);
  header.data_offset_bytes = UINT64_MAX - 1;
  EXPECT_EQ(expected_container_bytes(header, HeaderPlace::primary), UINT64_MAX);
}

// The backup is rewritten where it stands; what was appended stays as it is.
TEST_F(ContainerFitTest, ANewPasswordInALongerContainer) {
  constexpr std::uint64_t size = container_bytes + 300000;
  for (const std::string& password : {outer_password, hidden_password}) {
    SCOPED_TRACE(password);
    const DevicePtr device = with_size(size);
    Bytes before(size);
    ASSERT_TRUE(device->read(0, before).ok());
    const auto volume = unlock_volume(*device, request(password, false), nullptr);
    ASSERT_TRUE(volume.ok());
    ASSERT_TRUE(change_secret(*device, *volume, secret(password), secret("new")).ok());
    Bytes after(size);
    ASSERT_TRUE(device->read(0, after).ok());
    EXPECT_TRUE(std::equal(before.begin() + container_bytes, before.end(),
                           after.begin() + container_bytes));
    EXPECT_FALSE(unlock_volume(*device, request(password, false), nullptr).ok());
    const auto states = check_places(*device, *volume, secret("new"));
    ASSERT_TRUE(states.ok());
    ASSERT_EQ(states->size(), 2U);
    EXPECT_TRUE(states->at(0).same_volume && states->at(1).same_volume);
    EXPECT_EQ(states->at(1).offset_bytes, container_bytes - (volume->hidden() ? 65536U : 131072U));
    // Cut to its size again, the backup opens with the new one only.
    DevicePtr cut = memory_device(container_bytes);
    ASSERT_TRUE(cut->write(0, ByteSpan(after).first(container_bytes)).ok());
    UnlockRequest backup = request(password, false);
    backup.backup_header = true;
    EXPECT_FALSE(unlock_volume(*cut, backup, nullptr).ok());
  }
}

TEST_F(ContainerFitTest, ANewPasswordIsRefusedWhereTheBackupIsNotFound) {
  const DevicePtr device = with_size(container_bytes + 300000);
  const Bytes noise = random_bytes_of(131072, 5);
  ASSERT_TRUE(device->write(container_bytes - 131072, noise).ok());
  Bytes before(device->size());
  ASSERT_TRUE(device->read(0, before).ok());
  const auto volume = unlock_volume(*device, request(outer_password, false), nullptr);
  ASSERT_TRUE(volume.ok());
  const Status status = change_secret(*device, *volume, secret(outer_password), secret("new"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::wrong_file);
  Bytes after(device->size());
  ASSERT_TRUE(device->read(0, after).ok());
  EXPECT_EQ(before, after);
}

TEST_F(ContainerFitTest, RestoringIntoALongerContainerLeavesForeignBytes) {
  const DevicePtr device = with_size(container_bytes + 300000);
  const auto volume = unlock_volume(*device, request(outer_password, false), nullptr);
  ASSERT_TRUE(volume.ok());
  const auto file = make_header_backup(*volume, secret(outer_password), nullptr, nullptr);
  ASSERT_TRUE(file.ok());
  DevicePtr backup = memory_device(file->size());
  ASSERT_TRUE(backup->write(0, *file).ok());
  ASSERT_TRUE(device->write(0, random_bytes_of(512, 6)).ok());
  Bytes before(device->size());
  ASSERT_TRUE(device->read(0, before).ok());
  ASSERT_TRUE(restore_header(*device, backup.get(), request(outer_password, false), nullptr).ok());
  Bytes after(device->size());
  ASSERT_TRUE(device->read(0, after).ok());
  EXPECT_TRUE(
      std::equal(before.begin() + container_bytes, before.end(), after.begin() + container_bytes));
  EXPECT_TRUE(unlock_volume(*device, request(outer_password, false), nullptr).ok());
}

}  // namespace
}  // namespace volt
