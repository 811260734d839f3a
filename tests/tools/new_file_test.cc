#include "tools/common/new_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "blockdev/backing/memory_device.h"
#include "tests/support/temp_folder.h"
#include "tools/common/random_fill.h"

namespace volt {
namespace {

TEST(NewFile, LeavesNothingUnlessPublished) {
  const TempFolder folder;
  const std::string path = folder.path() / "container";
  {
    auto file = NewFile::create(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->resize(1 << 20, true).ok());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(NewFile, PublishedFileHasItsNameSizeAndMode) {
  const TempFolder folder;
  const std::string path = folder.path() / "container";
  {
    auto file = NewFile::create(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->resize(12345, false).ok());
    ASSERT_TRUE(file->publish().ok());
  }
  struct stat info {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_size, 12345);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
}

TEST(NewFile, NeverReplacesAnything) {
  const TempFolder folder;
  const std::string path = folder.path() / "container";
  auto file = NewFile::create(path);
  ASSERT_TRUE(file.ok());
  std::ofstream(path) << "someone else's";  // appeared meanwhile
  const Status published = file->publish();
  ASSERT_FALSE(published.ok());
  EXPECT_EQ(published.error().sys_errno, EEXIST);
  const auto second = NewFile::create(path);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().sys_errno, EEXIST);
  EXPECT_EQ(std::filesystem::file_size(path), 14U);
}

TEST(NewFile, MissingFolderIsNamedAsSuch) {
  const auto file = NewFile::create("/nonexistent/folder/container");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::not_found);
}

TEST(RandomFill, FillsJustTheRangeAndNeverTwiceTheSame) {
  const std::uint64_t size = 3 << 20;
  std::vector<std::vector<std::uint8_t>> contents;
  const std::atomic<bool> cancel{false};
  for (int i = 0; i < 2; ++i) {
    auto device = MemoryDevice::create(size);
    ASSERT_TRUE(device.ok());
    ASSERT_TRUE(fill_random(**device, 4096, size - 8192, cancel, {}).ok());
    contents.emplace_back(size);
    ASSERT_TRUE((*device)->read(0, contents.back()).ok());
  }
  for (std::uint64_t i = 0; i < 4096; ++i) {
    ASSERT_EQ(contents[0][i], 0) << i;
    ASSERT_EQ(contents[0][size - 1 - i], 0) << i;
  }
  EXPECT_NE(contents[0], contents[1]);
  // Chi-squared over byte values: 255 degrees of freedom, far beyond 255 +- 6 sigma is not random.
  std::map<std::uint8_t, double> counts;
  for (std::uint64_t i = 4096; i < size - 4096; ++i) counts[contents[0][i]] += 1;
  const double expected = static_cast<double>(size - 8192) / 256;
  double chi_squared = 0;
  for (int value = 0; value < 256; ++value) {
    const double difference = counts[static_cast<std::uint8_t>(value)] - expected;
    chi_squared += difference * difference / expected;
  }
  EXPECT_GT(chi_squared, 255 - 6 * 22.6);
  EXPECT_LT(chi_squared, 255 + 6 * 22.6);
}

TEST(RandomFill, StopsWhenCancelled) {
  auto device = MemoryDevice::create(4 << 20);
  ASSERT_TRUE(device.ok());
  std::atomic<bool> cancel{false};
  const Status status = fill_random(**device, 0, 4 << 20, cancel, [&](std::uint64_t done) {
    if (done >= 2 << 20) cancel = true;
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::cancelled);
  EXPECT_EQ(status.error().detail, 2U << 20);
}

}  // namespace
}  // namespace volt
