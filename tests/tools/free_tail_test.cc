#include "tools/volt/free_tail.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "blockdev/backing/file_device.h"
#include "blockdev/backing/memory_device.h"
#include "tests/support/temp_folder.h"

namespace volt {
namespace {

// Runs a shell command quietly. The commands here hold no outside input.
bool run(const std::string& command) {
  return std::system(("{ " + command + "; } >/dev/null 2>&1").c_str()) == 0;
}

class FatTail : public testing::TestWithParam<int> {};

// mkfs.fat makes the file system and mtools fills it; the oracle is the image itself: the last byte
// of our marked content.
TEST_P(FatTail, EndsBehindTheLastUsedCluster) {
  if (!run("PATH=$PATH:/sbin:/usr/sbin mkfs.fat --help; command -v mcopy")) {
    GTEST_SKIP() << "needs mkfs.fat and mtools";
  }
  const int bits = GetParam();
  const TempFolder folder;
  const std::string image = folder.path() / "fat.img";
  const std::string content = folder.path() / "content";
  const std::uint64_t size = bits == 12 ? 4 << 20 : bits == 16 ? 32 << 20 : 48 << 20;
  std::ofstream(image).close();
  std::filesystem::resize_file(image, size);
  ASSERT_TRUE(run("PATH=$PATH:/sbin:/usr/sbin mkfs.fat -s " + std::string(bits == 32 ? "1" : "4") +
                  " -F " + std::to_string(bits) + " '" + image + "'"));
  std::ofstream(content) << std::string(1'000'000, 'V');
  ASSERT_TRUE(run("mcopy -i '" + image + "' '" + content + "' ::a"));
  ASSERT_TRUE(run("mcopy -i '" + image + "' '" + content + "' ::b"));
  ASSERT_TRUE(run("mdel -i '" + image + "' ::a"));  // a hole in front must not matter

  std::ifstream in(image, std::ios::binary);
  std::vector<char> bytes(size);
  ASSERT_TRUE(in.read(bytes.data(), static_cast<std::streamsize>(size)));
  const auto last = std::find(bytes.rbegin(), bytes.rend(), 'V');
  const auto content_end = static_cast<std::uint64_t>(bytes.rend() - last);

  auto device = FileDevice::open(image, ContainerOptions{.direct = DirectIo::off});
  ASSERT_TRUE(device.ok());
  const auto tail = free_tail_begin(**device);
  ASSERT_TRUE(tail.ok()) << tail.error().context;
  EXPECT_GE(*tail, content_end);
  EXPECT_LT(*tail, content_end + 65536);  // at most the rest of one cluster
}

INSTANTIATE_TEST_SUITE_P(AllTypes, FatTail, testing::Values(12, 16, 32));

TEST(FreeTail, OtherContentsAreNotSupported) {
  auto device = MemoryDevice::create(1 << 20);
  ASSERT_TRUE(device.ok());
  const auto tail = free_tail_begin(**device);
  ASSERT_FALSE(tail.ok());
  EXPECT_EQ(tail.error().code, ErrorCode::not_supported);
}

TEST(FreeTail, AbsurdFieldsAreNamed) {
  auto device = MemoryDevice::create(1 << 20);
  ASSERT_TRUE(device.ok());
  std::vector<std::uint8_t> boot(512);
  boot[0] = 0xEB;
  boot[510] = 0x55;
  boot[511] = 0xAA;
  ASSERT_TRUE((*device)->write(0, boot).ok());
  const auto tail = free_tail_begin(**device);
  ASSERT_FALSE(tail.ok());
  EXPECT_EQ(tail.error().code, ErrorCode::bad_header);
  EXPECT_STREQ(tail.error().context, "FAT: bytes per sector");
}

}  // namespace
}  // namespace volt
