// What something that is no container looks like.
#include "blockdev/content_guess.h"

#include <cstring>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "blockdev/file_device.h"
#include "tests/test_devices.h"

namespace volt {
namespace {

constexpr std::uint64_t mib = 1048576;

class ContentGuessTest : public testing::Test {
 protected:
  // A file that holds these bytes at that offset, zeros or noise around them.
  std::optional<ContentGuess> guess(const std::string& bytes, std::uint64_t offset,
                                    std::uint64_t size, bool noise = true) {
    Bytes content = noise ? random_bytes_of(size, 11) : Bytes(size);
    std::memcpy(content.data() + offset, bytes.data(), bytes.size());
    return guess_bytes(content);
  }

  std::optional<ContentGuess> guess_bytes(const Bytes& content) {
    const std::string path = dir_.make_file("file", content.size());
    auto device = FileDevice::open(path, {.direct = DirectIo::off});
    EXPECT_TRUE(device.ok());
    EXPECT_TRUE((*device)->write(0, content).ok());
    return guess_content(path, **device);
  }

  TempDir dir_;
};

// One entry of an MBR's table, at `index`.
void put_entry(Bytes* disk, std::uint64_t sector, int index, std::uint8_t type, std::uint32_t start,
               std::uint32_t sectors) {
  std::uint8_t* entry = disk->data() + sector * 512 + 446 + index * 16;
  entry[4] = type;
  std::memcpy(entry + 8, &start, 4);
  std::memcpy(entry + 12, &sectors, 4);
  (*disk)[sector * 512 + 510] = 0x55;
  (*disk)[sector * 512 + 511] = 0xAA;
}

TEST_F(ContentGuessTest, NoiseIsAContainer) {
  EXPECT_FALSE(guess("", 0, 4 * mib).has_value());
  EXPECT_FALSE(guess("", 0, 512).has_value());
}

TEST_F(ContentGuessTest, PartitionsAreNamedAlsoLogicalOnes) {
  Bytes disk(16 * mib);
  put_entry(&disk, 0, 0, 0x07, 2048, 4096);
  put_entry(&disk, 0, 1, 0x05, 8192, 16384);  // extended
  put_entry(&disk, 8192, 0, 0x83, 2048, 2048);
  const auto found = guess_bytes(disk);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->certain && found->whole_disk);
  EXPECT_NE(found->what.find("1 (2097152 bytes at 1048576)"), std::string::npos) << found->what;
  EXPECT_NE(found->what.find("5 (1048576 bytes at 5242880)"), std::string::npos) << found->what;
  EXPECT_EQ(found->what.find("at 4194304"), std::string::npos) << "the extended one is none";
}

// A chain of logical partitions that leads back to its beginning, and sizes past the end.
TEST_F(ContentGuessTest, HostileTablesEnd) {
  Bytes disk(16 * mib);
  put_entry(&disk, 0, 0, 0x83, 0xFFFFFFF0U, 0xFFFFFFF0U);
  put_entry(&disk, 0, 1, 0x05, 8192, 16384);
  put_entry(&disk, 8192, 0, 0x83, 2048, 2048);
  put_entry(&disk, 8192, 1, 0x05, 0, 16384);
  static_cast<void>(guess_bytes(disk));
  Bytes noise = random_bytes_of(4 * mib, 21);
  std::memcpy(noise.data() + 512, "EFI PART", 8);
  noise[510] = 0x55;
  noise[511] = 0xAA;
  static_cast<void>(guess_bytes(noise));
}

TEST_F(ContentGuessTest, OtherThingsAreNamed) {
  using std::string_literals::operator""s;
  const struct {
    std::string bytes;
    std::uint64_t offset;
    const char* word;
    bool certain;
  } cases[] = {
      {"LUKS\xba\xbe\0\1"s, 0, "LUKS", true}, {"-FVE-FS-"s, 3, "BitLocker", true},
      {"PK\3\4"s, 0, "ZIP", false},           {"\x1f\x8b\x08"s, 0, "gzip", false},
      {"QFI\xfb"s, 0, "qcow2", false},        {"vhdxfile"s, 0, "VHDX", true},
      {"conectix"s, mib - 512, "VHD", false},
  };
  for (const auto& one : cases) {
    const auto found = guess(one.bytes, one.offset, mib);
    ASSERT_TRUE(found.has_value()) << one.word;
    EXPECT_NE(found->what.find(one.word), std::string::npos) << found->what;
    EXPECT_EQ(found->certain, one.certain) << one.word;
    EXPECT_FALSE(found->whole_disk);
  }
}

TEST_F(ContentGuessTest, TextZerosAndHeaderBackups) {
  std::string text;
  while (text.size() < 2000) text += "Zeile mit \xc3\xa4 und nichts weiter\n";
  Bytes bytes(text.begin(), text.end());
  auto found = guess_bytes(bytes);
  ASSERT_TRUE(found.has_value());
  EXPECT_NE(found->what.find("text"), std::string::npos);
  found = guess("", 0, mib, false);
  ASSERT_TRUE(found.has_value());
  EXPECT_NE(found->what.find("zeros"), std::string::npos);
  EXPECT_FALSE(found->certain);
  found = guess("", 0, 131072);
  ASSERT_TRUE(found.has_value());
  EXPECT_NE(found->what.find("header backup"), std::string::npos);
  EXPECT_FALSE(found->certain);
}

}  // namespace
}  // namespace volt
