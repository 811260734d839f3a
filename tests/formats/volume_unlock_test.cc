#include "blockdev/formats/veracrypt/volume_unlock.h"

#include <array>
#include <atomic>
#include <string>

#include <gtest/gtest.h>

#include "blockdev/backing/memory_device.h"
#include "blockdev/formats/veracrypt/volume_format.h"
#include "crypto/base/random.h"
#include "crypto/kdf/kdf.h"

namespace volt {
namespace {

constexpr std::uint64_t container_bytes = 1048576;

ByteSpan bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// PIM 1 keeps VeraCrypt's PBKDF2 at 16000 iterations.
FormatRequest request_for(const char* cascade, VolumeFormat format, PrfId prf,
                          const std::string& password) {
  FormatRequest request;
  request.cascade = find_cascade(cascade);
  request.kdf = find_kdf(format, prf, false);
  request.pim = format == VolumeFormat::veracrypt ? 1 : 0;
  request.password = bytes_of(password);
  return request;
}

UnlockRequest unlock_request(const FormatRequest& made) {
  UnlockRequest request;
  request.password = made.password;
  request.keyfiles = made.keyfiles;
  request.pim = made.pim;
  request.format = made.kdf->format;
  request.prf = made.kdf->prf;
  return request;
}

DevicePtr container() {
  auto device = MemoryDevice::create(container_bytes);
  EXPECT_TRUE(device.ok());
  return std::move(*device);
}

bool same_volume(const UnlockedVolume& a, const UnlockedVolume& b) {
  return a.header == b.header && a.cascade == b.cascade &&
         a.geometry.data_offset_bytes == b.geometry.data_offset_bytes &&
         a.geometry.data_bytes == b.geometry.data_bytes &&
         a.geometry.first_unit == b.geometry.first_unit &&
         std::equal(a.keys.span().begin(), a.keys.span().end(), b.keys.span().begin());
}

void flip_byte(BlockDevice& device, std::uint64_t offset) {
  std::array<std::uint8_t, 1> byte{};
  ASSERT_TRUE(device.read(offset, byte).ok());
  byte[0] ^= 1;
  ASSERT_TRUE(device.write(offset, byte).ok());
}

TEST(VolumeFormatAndUnlock, EveryCascadeComesBack) {
  const std::string password = "correct horse";
  for (const CascadeSpec& cascade : all_cascades()) {
    for (const auto format : {VolumeFormat::truecrypt, VolumeFormat::veracrypt}) {
      if (format == VolumeFormat::truecrypt ? !cascade.truecrypt : !cascade.veracrypt) continue;
      const auto device = container();
      const auto request = request_for(cascade.name, format, PrfId::sha512, password);
      const auto made = format_volume(*device, request);
      if (!made && made.error().code == ErrorCode::not_supported) continue;  // no such kernel
      ASSERT_TRUE(made.ok()) << cascade.name << ": " << made.error().context;
      const auto opened = unlock_volume(*device, unlock_request(request), nullptr);
      ASSERT_TRUE(opened.ok()) << cascade.name << ": " << opened.error().context;
      EXPECT_TRUE(same_volume(*made, *opened)) << cascade.name;
      EXPECT_EQ(opened->place, HeaderPlace::primary);
      EXPECT_EQ(opened->geometry.data_offset_bytes, 131072U);
      EXPECT_EQ(opened->geometry.data_bytes, container_bytes - 262144);
    }
  }
}

TEST(VolumeFormatAndUnlock, EveryPrfComesBack) {
  const std::string password = "correct horse";
  for (const KdfSpec& kdf : all_kdfs()) {
    if (!kdf.creatable) continue;
    const auto device = container();
    const auto request = request_for("aes", kdf.format, kdf.prf, password);
    const auto made = format_volume(*device, request);
    ASSERT_TRUE(made.ok()) << kdf.name << ": " << made.error().context;
    const auto opened = unlock_volume(*device, unlock_request(request), nullptr);
    ASSERT_TRUE(opened.ok()) << kdf.name << ": " << opened.error().context;
    EXPECT_TRUE(same_volume(*made, *opened)) << kdf.name;
    EXPECT_EQ(opened->kdf, &kdf);
    EXPECT_EQ(opened->place, HeaderPlace::primary) << kdf.name;
  }
}

TEST(VolumeFormatAndUnlock, HiddenVolumeBesideTheOuter) {
  const std::string outer_password = "outer";
  const std::string hidden_password = "hidden";
  const auto device = container();
  const auto outer = request_for("serpent", VolumeFormat::truecrypt, PrfId::sha512, outer_password);
  ASSERT_TRUE(format_volume(*device, outer).ok());
  auto hidden = request_for("twofish", VolumeFormat::truecrypt, PrfId::ripemd160, hidden_password);
  hidden.hidden = true;
  hidden.hidden_bytes = 262144;
  const auto made = format_volume(*device, hidden);
  ASSERT_TRUE(made.ok()) << made.error().context;

  UnlockRequest request;
  request.format = VolumeFormat::truecrypt;
  request.password = bytes_of(hidden_password);
  const auto opened = unlock_volume(*device, request, nullptr);
  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE(opened->hidden());
  EXPECT_TRUE(same_volume(*made, *opened));
  EXPECT_EQ(opened->geometry.data_offset_bytes, container_bytes - 131072 - 262144);
  EXPECT_EQ(opened->geometry.first_unit, (container_bytes - 131072 - 262144) / 512);
  request.only_outer = true;
  EXPECT_FALSE(unlock_volume(*device, request, nullptr).ok());

  request = UnlockRequest{};
  request.format = VolumeFormat::truecrypt;
  request.password = bytes_of(outer_password);
  const auto outer_again = unlock_volume(*device, request, nullptr);
  ASSERT_TRUE(outer_again.ok());
  EXPECT_FALSE(outer_again->hidden());
  request.hidden = true;
  EXPECT_FALSE(unlock_volume(*device, request, nullptr).ok());
}

TEST(VolumeFormatAndUnlock, BackupHeaderStepsInForADamagedPrimary) {
  const std::string password = "correct horse";
  const auto device = container();
  const auto request = request_for("aes", VolumeFormat::truecrypt, PrfId::sha512, password);
  const auto made = format_volume(*device, request);
  ASSERT_TRUE(made.ok());
  for (const std::uint64_t at : {0U, 63U, 64U, 300U, 511U}) {
    flip_byte(*device, at);
    const auto opened = unlock_volume(*device, unlock_request(request), nullptr);
    ASSERT_TRUE(opened.ok()) << "byte " << at;
    EXPECT_EQ(opened->place, HeaderPlace::backup);
    EXPECT_TRUE(same_volume(*made, *opened));
    flip_byte(*device, at);
  }
  UnlockRequest only_backup = unlock_request(request);
  only_backup.backup_header = true;
  EXPECT_EQ(unlock_volume(*device, only_backup, nullptr)->place, HeaderPlace::backup);
  flip_byte(*device, container_bytes - 131072);
  EXPECT_FALSE(unlock_volume(*device, only_backup, nullptr).ok());
}

// Argon2id is slow: unasked, its backup headers are tried only where the primary one is damaged so
// that one can see it.
TEST(VolumeFormatAndUnlock, Argon2BackupHeaders) {
  const std::string password = "correct horse";
  const auto device = container();
  const auto made_by = request_for("aes", VolumeFormat::veracrypt, PrfId::argon2id, password);
  ASSERT_TRUE(format_volume(*device, made_by).ok());
  UnlockRequest unnamed;
  unnamed.password = bytes_of(password);
  unnamed.pim = made_by.pim;
  unnamed.cascade = made_by.cascade;
  EXPECT_EQ(unlock_volume(*device, unnamed, nullptr)->place, HeaderPlace::primary);
  flip_byte(*device, 100);
  UnlockReport report;
  EXPECT_FALSE(unlock_volume(*device, unnamed, &report).ok());
  ASSERT_EQ(report.skipped.size(), 2U);  // TrueCrypt, because of the PIM
  EXPECT_NE(report.skipped[1].find("backup"), std::string::npos);
  EXPECT_EQ(unlock_volume(*device, unlock_request(made_by), nullptr)->place, HeaderPlace::backup);
  std::array<std::uint8_t, 512> overwritten{};
  overwritten.fill('x');
  ASSERT_TRUE(device->write(0, overwritten).ok());
  const auto opened = unlock_volume(*device, unnamed, nullptr);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->place, HeaderPlace::backup);
}

TEST(VolumeFormatAndUnlock, DeviceWithLargeBlocks) {
  const std::string password = "correct horse";
  auto device = MemoryDevice::create(container_bytes, 4096);
  ASSERT_TRUE(device.ok());
  auto request = request_for("aes", VolumeFormat::veracrypt, PrfId::sha256, password);
  request.sector_bytes = 4096;
  ASSERT_TRUE(format_volume(**device, request).ok());
  const auto opened = unlock_volume(**device, unlock_request(request), nullptr);
  ASSERT_TRUE(opened.ok()) << opened.error().context;
  EXPECT_EQ(opened->geometry.sector_bytes, 4096U);
  EXPECT_EQ(opened->geometry.first_unit, 256U);
}

TEST(VolumeFormatAndUnlock, KeyfilesAndNoPassword) {
  auto pool = KeyfilePool::create();
  ASSERT_TRUE(pool.ok());
  pool->add_bytes(bytes_of("key material"));
  pool->end_file();
  const auto device = container();
  auto request = request_for("aes", VolumeFormat::veracrypt, PrfId::sha512, "");
  request.keyfiles = &*pool;
  ASSERT_TRUE(format_volume(*device, request).ok());
  EXPECT_TRUE(unlock_volume(*device, unlock_request(request), nullptr).ok());
  UnlockRequest without = unlock_request(request);
  without.keyfiles = nullptr;
  EXPECT_EQ(unlock_volume(*device, without, nullptr).error().code, ErrorCode::invalid_argument);
}

TEST(VolumeFormatAndUnlock, DetachedHeader) {
  const std::string password = "correct horse";
  const auto device = container();
  const auto request = request_for("aes", VolumeFormat::truecrypt, PrfId::sha512, password);
  const auto made = format_volume(*device, request);
  ASSERT_TRUE(made.ok());
  auto headers = MemoryDevice::create(512);
  ASSERT_TRUE(headers.ok());
  std::array<std::uint8_t, 512> bytes{};
  ASSERT_TRUE(device->read(0, bytes).ok());
  ASSERT_TRUE((*headers)->write(0, bytes).ok());
  ASSERT_TRUE(random_bytes(bytes).ok());
  ASSERT_TRUE(device->write(0, bytes).ok());
  ASSERT_TRUE(device->write(container_bytes - 131072, bytes).ok());
  UnlockRequest unlock = unlock_request(request);
  EXPECT_FALSE(unlock_volume(*device, unlock, nullptr).ok());
  unlock.headers = headers->get();
  const auto opened = unlock_volume(*device, unlock, nullptr);
  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE(same_volume(*made, *opened));
}

TEST(VolumeUnlock, PasswordLengthLimits) {
  const auto device = container();
  for (const std::size_t length : {64U, 65U, 128U, 129U}) {
    for (const auto format : {VolumeFormat::truecrypt, VolumeFormat::veracrypt}) {
      const std::string password(length, 'p');
      const auto request = request_for("aes", format, PrfId::sha512, password);
      const bool allowed = length <= (format == VolumeFormat::truecrypt ? 64U : 128U);
      const auto made = format_volume(*device, request);
      EXPECT_EQ(made.ok(), allowed) << length;
      if (!made) {
        EXPECT_EQ(made.error().code, ErrorCode::invalid_argument);
      }
      const auto opened = unlock_volume(*device, unlock_request(request), nullptr);
      EXPECT_EQ(opened.ok(), allowed) << length;
      if (!opened) {
        EXPECT_EQ(opened.error().code, ErrorCode::invalid_argument);
      }
    }
  }
}

TEST(VolumeUnlock, PimLimits) {
  const auto device = container();
  const std::string password = "p";
  UnlockRequest request;
  request.password = bytes_of(password);
  request.pim = max_pim + 1;
  EXPECT_EQ(unlock_volume(*device, request, nullptr).error().code, ErrorCode::invalid_argument);
  request.pim = 1;
  request.format = VolumeFormat::truecrypt;
  EXPECT_EQ(unlock_volume(*device, request, nullptr).error().code, ErrorCode::invalid_argument);
}

TEST(VolumeUnlock, ZerosAndShortFilesAreSaidSo) {
  const std::string password = "p";
  UnlockRequest request;
  request.password = bytes_of(password);
  UnlockReport report;
  const auto device = container();
  EXPECT_EQ(unlock_volume(*device, request, &report).error().code,
            ErrorCode::bad_password_or_header);
  EXPECT_FALSE(report.header_problem.empty());
  auto tiny = MemoryDevice::create(511);
  ASSERT_TRUE(tiny.ok());
  EXPECT_EQ(unlock_volume(**tiny, request, nullptr).error().code, ErrorCode::wrong_file);
}

// A header whose CRCs are good but whose fields are absurd is told apart from a wrong password.
TEST(VolumeUnlock, AbsurdHeaderIsNamed) {
  const std::string password = "correct horse";
  const auto device = container();
  const auto request = request_for("aes", VolumeFormat::truecrypt, PrfId::sha512, password);
  const auto made = format_volume(*device, request);
  ASSERT_TRUE(made.ok());
  VolumeHeader header = made->header;
  header.data_offset_bytes = std::uint64_t{1} << 40;
  std::array<std::uint8_t, 512> sealed{};
  const MutableByteSpan output(sealed);
  ASSERT_TRUE(seal_headers(header, made->keys.span(), CipherMode::xts, *made->cascade,
                           kdf_parameters(*made->kdf, 0), request.password, {&output, 1})
                  .ok());
  ASSERT_TRUE(device->write(container_bytes - 131072, sealed).ok());
  UnlockRequest unlock = unlock_request(request);
  unlock.backup_header = true;
  UnlockReport report;
  const auto opened = unlock_volume(*device, unlock, &report);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::bad_header);
  EXPECT_EQ(opened.error().detail, std::uint64_t{1} << 40);
  EXPECT_NE(report.header_problem.find("data offset"), std::string::npos);
  // The good place still wins.
  unlock.backup_header = false;
  EXPECT_EQ(unlock_volume(*device, unlock, nullptr)->place, HeaderPlace::primary);
}

TEST(VolumeUnlock, CancelEndsTheSearch) {
  const std::string password = "wrong";
  const auto device = container();
  std::array<std::uint8_t, 512> noise{};
  ASSERT_TRUE(random_bytes(noise).ok());
  ASSERT_TRUE(device->write(0, noise).ok());
  std::atomic<bool> cancel{true};
  UnlockRequest request;
  request.password = bytes_of(password);
  request.pim = max_pim;  // hours, were it not cancelled
  request.cancel = &cancel;
  request.prf = PrfId::sha512;
  EXPECT_EQ(unlock_volume(*device, request, nullptr).error().code, ErrorCode::cancelled);
}

TEST(VolumeUnlock, ReportsWhatItTriedAndSkipped) {
  const std::string password(65, 'p');
  const auto device = container();
  std::array<std::uint8_t, 512> noise{};
  ASSERT_TRUE(random_bytes(noise).ok());
  ASSERT_TRUE(device->write(0, noise).ok());
  UnlockRequest request;
  request.password = bytes_of(password);
  request.pim = 1;
  request.prf = PrfId::sha256;
  std::string announced;
  request.progress = [&](const std::string& what, double fraction) {
    announced = what;
    EXPECT_GE(fraction, 0.0);
    EXPECT_LE(fraction, 1.0);
  };
  UnlockReport report;
  EXPECT_FALSE(unlock_volume(*device, request, &report).ok());
  ASSERT_EQ(report.tried.size(), 2U);
  EXPECT_EQ(report.tried[0], "veracrypt sha256");
  EXPECT_EQ(report.tried[1], "headers: primary");
  EXPECT_EQ(announced, "veracrypt sha256");
  ASSERT_EQ(report.skipped.size(), 1U);
}

TEST(VolumeFormat, RefusesWhatCannotBe) {
  const std::string password = "p";
  const auto good = request_for("aes", VolumeFormat::veracrypt, PrfId::sha512, password);
  const auto code_of = [](BlockDevice& device, const FormatRequest& request) {
    const auto made = format_volume(device, request);
    return made ? ErrorCode::internal : made.error().code;
  };
  const auto device = container();
  auto request = good;
  request.cascade = find_cascade("cast5");
  EXPECT_EQ(code_of(*device, request), ErrorCode::invalid_argument);
  request = good;
  request.kdf = find_kdf(VolumeFormat::truecrypt, PrfId::sha1, false);
  EXPECT_EQ(code_of(*device, request), ErrorCode::invalid_argument);
  request = good;
  request.sector_bytes = 1000;
  EXPECT_EQ(code_of(*device, request), ErrorCode::invalid_argument);
  request = good;
  request.password = {};
  EXPECT_EQ(code_of(*device, request), ErrorCode::invalid_argument);
  request = good;
  request.hidden = true;
  request.hidden_bytes = container_bytes;
  EXPECT_EQ(code_of(*device, request), ErrorCode::no_space);
  request.hidden_bytes = 100;
  EXPECT_EQ(code_of(*device, request), ErrorCode::invalid_argument);
  auto small = MemoryDevice::create(min_container_bytes - 512);
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(code_of(**small, good), ErrorCode::invalid_argument);
  auto smallest = MemoryDevice::create(min_container_bytes);
  ASSERT_TRUE(smallest.ok());
  EXPECT_TRUE(format_volume(**smallest, good).ok());
}

}  // namespace
}  // namespace volt
