// Containers that TrueCrypt and VeraCrypt made: each opens and shows its file system's UUID.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "blockdev/backing/file_device.h"
#include "blockdev/formats/veracrypt/volume_unlock.h"
#include "blockdev/host/password_source.h"
#include "blockdev/layers/encrypted_device.h"
#include "blockdev/layers/slice_device.h"
#include "tests/support/tcrypt_images.h"

namespace volt {
namespace {

ByteSpan bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// One data unit of the volume, decrypted.
std::array<std::uint8_t, unit_bytes> read_unit(BlockDevice& container, const UnlockedVolume& volume,
                                               std::uint64_t unit) {
  std::array<std::uint8_t, unit_bytes> sector{};
  const auto cipher = make_volume_cipher(volume);
  EXPECT_TRUE(cipher.ok());
  if (!cipher) return sector;
  EXPECT_TRUE(container.read(volume.geometry.data_offset_bytes + unit * unit_bytes, sector).ok());
  (*cipher)->decrypt_units(volume.geometry.first_unit + unit, sector.data(), sector.data(), 1);
  return sector;
}

// The serial number in a FAT12 or FAT16 boot sector, as blkid writes it.
std::string fat_uuid(BlockDevice& container, const UnlockedVolume& volume) {
  const auto sector = read_unit(container, volume, 0);
  std::array<char, 16> text{};
  const auto serial = load_le<std::uint32_t>(sector.data() + 39);
  std::snprintf(text.data(), text.size(), "%04X-%04X", serial >> 16, serial & 0xFFFFU);
  return text.data();
}

class VolumeImages : public ::testing::TestWithParam<TcryptImage> {
 protected:
  void SetUp() override {
    const TcryptImage& image = GetParam();
    ContainerOptions options;
    options.read_only = true;
    options.direct = DirectIo::off;
    auto opened = FileDevice::open(TcryptImages::get().path_of(image.file), options);
    ASSERT_TRUE(opened.ok()) << opened.error().context;
    container_ = std::move(*opened);
    std::vector<std::string> paths;
    for (const auto& name : image.keyfiles) paths.push_back(TcryptImages::get().path_of(name));
    std::string which;
    auto pool = read_keyfiles(paths, &which, nullptr);
    ASSERT_TRUE(pool.ok()) << which;
    keyfiles_.emplace(std::move(*pool));
  }

  // VeraCrypt's derivations are long, so the PRF is named unless VOLT_TEST_ALL_PRFS is set.
  // The password must outlive the request.
  UnlockRequest request_for(const std::string& password) const {
    const TcryptImage& image = GetParam();
    UnlockRequest request;
    request.password = bytes_of(password);
    request.keyfiles = &*keyfiles_;
    request.pim = image.pim;
    request.system = image.system;
    const auto parts = image.name_parts();
    const bool veracrypt = parts[0].substr(0, 2) == "vc" || image.system;
    if (veracrypt && std::getenv("VOLT_TEST_ALL_PRFS") == nullptr) {
      PrfId prf{};
      EXPECT_TRUE(parse_prf(parts[1] == "stribog512" ? "streebog" : parts[1], &prf));
      request.prf = prf;
    }
    if (!veracrypt) request.format = VolumeFormat::truecrypt;
    return request;
  }

  std::unique_ptr<FileDevice> container_;
  std::optional<KeyfilePool> keyfiles_;
};

TEST_P(VolumeImages, OpensAndShowsItsUuid) {
  const TcryptImage& image = GetParam();
  const auto parts = image.name_parts();
  UnlockReport report;
  const auto volume = unlock_volume(*container_, request_for(image.password), &report);
  ASSERT_TRUE(volume.ok()) << volume.error().context << " " << report.header_problem;
  EXPECT_EQ(volume->place, image.system ? HeaderPlace::system : HeaderPlace::primary);
  if (image.file == "tc_2-ripemd160-cbc-aes-blowfish-serpent") {
    // Its makers could not decrypt it and zeroed all ciphertext but unit 34, which holds zeros.
    EXPECT_EQ(read_unit(*container_, *volume, 34), (std::array<std::uint8_t, unit_bytes>{}));
  } else {
    EXPECT_EQ(fat_uuid(*container_, *volume), image.uuid);
  }
  EXPECT_EQ(mode_name(volume->mode), parts[2]);
  EXPECT_STREQ(volume->kdf->name, parts[1] == "stribog512" ? "streebog" : parts[1].c_str());
}

TEST_P(VolumeImages, HiddenVolumeOpens) {
  const TcryptImage& image = GetParam();
  if (image.hidden_password.empty()) GTEST_SKIP() << "no hidden volume";
  for (const bool only_hidden : {false, true}) {
    UnlockRequest request = request_for(image.hidden_password);
    request.hidden = only_hidden;
    UnlockReport report;
    const auto volume = unlock_volume(*container_, request, &report);
    ASSERT_TRUE(volume.ok()) << volume.error().context << " " << report.header_problem;
    EXPECT_EQ(fat_uuid(*container_, *volume), image.hidden_uuid);
    EXPECT_TRUE(volume->hidden());
    EXPECT_FALSE(place_is_backup(volume->place));
  }
}

// TrueCrypt 6 and later keep backup headers.
TEST_P(VolumeImages, BackupHeaderOpens) {
  const TcryptImage& image = GetParam();
  const std::string kind = image.name_parts()[0];
  if (image.system || kind < "tc_4") GTEST_SKIP() << "no backup headers";
  UnlockRequest request = request_for(image.password);
  request.backup_header = true;
  const auto volume = unlock_volume(*container_, request, nullptr);
  ASSERT_TRUE(volume.ok()) << volume.error().context;
  EXPECT_EQ(volume->place, HeaderPlace::backup);
  EXPECT_EQ(fat_uuid(*container_, *volume), image.uuid);
}

TEST_P(VolumeImages, WrongPasswordIsRefused) {
  const TcryptImage& image = GetParam();
  const std::string prf = image.name_parts()[1];
  if (image.pim != 0 || prf == "argon2id" || prf == "stribog512") GTEST_SKIP() << "takes long";
  const std::string password = "aaaaaaaaaaab";
  UnlockRequest request = request_for(password);
  UnlockReport report;
  const auto volume = unlock_volume(*container_, request, &report);
  ASSERT_FALSE(volume.ok());
  EXPECT_EQ(volume.error().code, ErrorCode::bad_password_or_header);
  EXPECT_FALSE(report.tried.empty());
}

std::string test_name(const ::testing::TestParamInfo<TcryptImage>& info) {
  std::string name = info.param.file;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Tcrypt, VolumeImages, ::testing::ValuesIn(TcryptImages::get().list()),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(VolumeImages);

}  // namespace
}  // namespace volt
