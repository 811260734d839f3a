#include "blockdev/formats/veracrypt/volume_geometry.h"

#include <gtest/gtest.h>

namespace volt {
namespace {

constexpr std::uint64_t mib = 1048576;

VolumeHeader header_of(std::uint16_t version, std::uint64_t offset, std::uint64_t size) {
  VolumeHeader header;
  header.version = version;
  header.volume_bytes = size;
  header.data_offset_bytes = offset;
  header.data_bytes = size;
  return header;
}

TEST(HeaderPlaces, OffsetsOfAVolume) {
  EXPECT_EQ(*place_offset(HeaderPlace::primary, mib), 0U);
  EXPECT_EQ(*place_offset(HeaderPlace::hidden, mib), 65536U);
  EXPECT_EQ(*place_offset(HeaderPlace::backup, mib), mib - 131072);
  EXPECT_EQ(*place_offset(HeaderPlace::backup_hidden, mib), mib - 65536);
  EXPECT_EQ(*place_offset(HeaderPlace::legacy_hidden, mib), mib - 1536);
  EXPECT_EQ(*place_offset(HeaderPlace::system, mib), 31744U);
}

TEST(HeaderPlaces, ShortContainersLackThem) {
  EXPECT_FALSE(place_offset(HeaderPlace::primary, 0).ok());
  EXPECT_FALSE(place_offset(HeaderPlace::primary, 511).ok());
  EXPECT_TRUE(place_offset(HeaderPlace::primary, 512).ok());
  EXPECT_FALSE(place_offset(HeaderPlace::hidden, 66047).ok());
  EXPECT_TRUE(place_offset(HeaderPlace::hidden, 66048).ok());
  EXPECT_FALSE(place_offset(HeaderPlace::backup, 262143).ok());
  EXPECT_EQ(*place_offset(HeaderPlace::backup, 262144), 131072U);
  EXPECT_FALSE(place_offset(HeaderPlace::legacy_hidden, 2047).ok());
  EXPECT_TRUE(place_offset(HeaderPlace::legacy_hidden, 2048).ok());
  EXPECT_FALSE(place_offset(HeaderPlace::system, 31744).ok());
}

TEST(VolumeGeometry, OrdinaryVolumeCountsUnitsFromTheHostFile) {
  const auto geometry = volume_geometry(header_of(5, 131072, mib - 262144), HeaderPlace::primary,
                                        CipherMode::xts, mib);
  ASSERT_TRUE(geometry.ok());
  EXPECT_EQ(geometry->data_offset_bytes, 131072U);
  EXPECT_EQ(geometry->data_bytes, mib - 262144);
  EXPECT_EQ(geometry->first_unit, 256U);
}

TEST(VolumeGeometry, SectorSizeDoesNotChangeTheUnit) {
  VolumeHeader header = header_of(5, 131072, 8192);
  header.sector_bytes = 4096;
  const auto geometry = volume_geometry(header, HeaderPlace::primary, CipherMode::xts, mib);
  ASSERT_TRUE(geometry.ok());
  EXPECT_EQ(geometry->first_unit, 256U);
  EXPECT_EQ(geometry->sector_bytes, 4096U);
}

TEST(VolumeGeometry, HiddenVolumeNearTheEndOfALargeContainer) {
  constexpr std::uint64_t container = 20ULL << 40;
  constexpr std::uint64_t size = 3ULL << 40;
  const auto geometry = volume_geometry(header_of(5, container - 131072 - size, size),
                                        HeaderPlace::hidden, CipherMode::xts, container);
  ASSERT_TRUE(geometry.ok());
  EXPECT_EQ(geometry->first_unit, (container - 131072 - size) / 512);
}

TEST(VolumeGeometry, TrueCryptBefore6) {
  // Worked by hand from an image of 40960 bytes with a hidden volume of 19456.
  VolumeHeader outer = header_of(2, 0, 0);
  for (const auto mode : {CipherMode::cbc, CipherMode::lrw, CipherMode::xts}) {
    const auto geometry = volume_geometry(outer, HeaderPlace::primary, mode, 40960);
    ASSERT_TRUE(geometry.ok());
    EXPECT_EQ(geometry->data_offset_bytes, 512U);
    EXPECT_EQ(geometry->data_bytes, 40448U);
    EXPECT_EQ(geometry->first_unit, mode == CipherMode::lrw ? 0U : 1U);
  }
  VolumeHeader hidden = outer;
  hidden.hidden_volume_bytes = 19456;
  const auto cbc = volume_geometry(hidden, HeaderPlace::legacy_hidden, CipherMode::cbc, 40960);
  ASSERT_TRUE(cbc.ok());
  EXPECT_EQ(cbc->data_offset_bytes, 19968U);
  EXPECT_EQ(cbc->data_bytes, 19456U);
  EXPECT_EQ(cbc->first_unit, 1U);
  const auto xts = volume_geometry(hidden, HeaderPlace::legacy_hidden, CipherMode::xts, 40960);
  ASSERT_TRUE(xts.ok());
  EXPECT_EQ(xts->first_unit, 39U);
}

TEST(VolumeGeometry, Version3KnowsItsSize) {
  // From an image of 19456 bytes by TrueCrypt 5.
  const VolumeHeader header = header_of(3, 0, 18944);
  for (const std::uint64_t container : {19456U, 19968U, 1048576U}) {
    const auto geometry = volume_geometry(header, HeaderPlace::primary, CipherMode::xts, container);
    ASSERT_TRUE(geometry.ok());
    EXPECT_EQ(geometry->data_offset_bytes, 512U);
    EXPECT_EQ(geometry->data_bytes, 18944U);
    EXPECT_EQ(geometry->first_unit, 1U);
  }
  const auto cut = volume_geometry(header, HeaderPlace::primary, CipherMode::xts, 18944);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().detail, 18944U);
}

TEST(VolumeGeometry, PlacesAndVersionsOfDifferentAges) {
  VolumeHeader old = header_of(2, 0, 0);
  old.hidden_volume_bytes = 512;
  EXPECT_FALSE(volume_geometry(old, HeaderPlace::hidden, CipherMode::cbc, mib).ok());
  EXPECT_FALSE(volume_geometry(old, HeaderPlace::backup, CipherMode::cbc, mib).ok());
  EXPECT_FALSE(
      volume_geometry(header_of(5, 131072, 512), HeaderPlace::legacy_hidden, CipherMode::xts, mib)
          .ok());
}

TEST(VolumeGeometry, SystemEncryption) {
  // A partition of 16 MiB at 1 MiB of a drive image; the area's length is the whole disk's.
  VolumeHeader header = header_of(5, mib, 64422412288);
  header.volume_bytes = 16 * mib;
  const auto part = volume_geometry(header, HeaderPlace::system, CipherMode::xts, 18 * mib);
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->data_offset_bytes, mib);
  EXPECT_EQ(part->data_bytes, 16 * mib);
  EXPECT_EQ(part->first_unit, 2048U);
  // A whole drive: the area starts after the boot loader and may not pass the drive's end.
  header = header_of(5, 32256, 18 * mib);
  const auto drive = volume_geometry(header, HeaderPlace::system, CipherMode::xts, 18 * mib);
  ASSERT_TRUE(drive.ok());
  EXPECT_EQ(drive->data_bytes, 18 * mib - 32256);
  EXPECT_EQ(drive->first_unit, 63U);
  EXPECT_FALSE(volume_geometry(header_of(5, mib, mib), HeaderPlace::system, CipherMode::xts, mib));
}

TEST(VolumeGeometry, FieldsThatDoNotFitAreNamed) {
  const auto error_of = [](const VolumeHeader& header, HeaderPlace place, std::uint64_t size) {
    const auto geometry = volume_geometry(header, place, CipherMode::xts, size);
    return geometry ? Error{} : geometry.error();
  };
  auto error = error_of(header_of(5, 2 * mib, 512), HeaderPlace::primary, mib);
  EXPECT_EQ(error.code, ErrorCode::bad_header);
  EXPECT_EQ(error.detail, 2 * mib);
  EXPECT_EQ(std::string_view(error.context).substr(0, 11), "data offset");
  error = error_of(header_of(5, 131072, mib), HeaderPlace::primary, mib);
  EXPECT_EQ(error.detail, mib);
  EXPECT_EQ(std::string_view(error.context).substr(0, 9), "data size");
  error = error_of(header_of(5, 512, 512), HeaderPlace::primary, mib);
  EXPECT_EQ(error.detail, 512U);
  VolumeHeader larger = header_of(5, 131072, 512);
  larger.volume_bytes = mib + 512;
  error = error_of(larger, HeaderPlace::primary, mib);
  EXPECT_EQ(error.detail, mib + 512);
  EXPECT_EQ(std::string_view(error.context).substr(0, 11), "volume size");
  larger = header_of(5, 131072, 512);
  larger.hidden_volume_bytes = 1024;
  error = error_of(larger, HeaderPlace::hidden, mib);
  EXPECT_EQ(error.detail, 1024U);
  EXPECT_EQ(std::string_view(error.context).substr(0, 18), "hidden volume size");
  VolumeHeader hidden = header_of(2, 0, 0);
  hidden.hidden_volume_bytes = mib;
  error = error_of(hidden, HeaderPlace::legacy_hidden, mib);
  EXPECT_EQ(error.code, ErrorCode::bad_header);
  EXPECT_EQ(error.detail, mib);
  hidden.hidden_volume_bytes = 0;
  EXPECT_EQ(error_of(hidden, HeaderPlace::legacy_hidden, mib).code, ErrorCode::bad_header);
}

}  // namespace
}  // namespace volt
