#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "blockdev/host/password_source.h"
#include "tests/support/temp_folder.h"

namespace volt {
namespace {

class KeyfileReaderTest : public ::testing::Test {
 protected:
  std::string add(const std::string& name, const std::string& content) {
    const std::string path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    chmod(path.c_str(), 0600);
    return path;
  }
  Result<KeyfilePool> read(const std::vector<std::string>& paths) {
    which_.clear();
    notices_.clear();
    return read_keyfiles(paths, &which_, &notices_);
  }
  static std::string mixed(const Result<KeyfilePool>& pool) {
    EXPECT_TRUE(pool.ok());
    if (!pool) return "";
    const std::array<std::uint8_t, 3> password = {'a', 'b', 'c'};
    const auto out = pool->apply(128, password);
    return std::string(reinterpret_cast<const char*>(out->data()), out->size());
  }

  TempFolder folder_;
  std::string which_;
  std::vector<std::string> notices_;
};

TEST_F(KeyfileReaderTest, OrderDoesNotMatterContentDoes) {
  const auto a = add("a", "first");
  const auto b = add("b", "second");
  EXPECT_EQ(mixed(read({a, b})), mixed(read({b, a})));
  EXPECT_NE(mixed(read({a})), mixed(read({b})));
  EXPECT_NE(mixed(read({a})), mixed(read({a, b})));
}

TEST_F(KeyfileReaderTest, OnlyTheFirstMebibyteCounts) {
  const std::string full(1048576, 'k');
  const auto exact = add("exact", full);
  const auto longer = add("longer", full + "more");
  const auto shorter = add("shorter", full.substr(1));
  EXPECT_EQ(mixed(read({exact})), mixed(read({longer})));
  EXPECT_NE(mixed(read({exact})), mixed(read({shorter})));
  EXPECT_TRUE(read({add("one", "x")}).ok());
}

TEST_F(KeyfileReaderTest, AFolderStandsForItsFiles) {
  const auto a = add("a", "first");
  const auto b = add("b", "second");
  const std::string separate = mixed(read({a, b}));
  add(".hidden", "not counted");
  std::filesystem::create_directory(folder_.path() / "deeper");
  EXPECT_EQ(mixed(read({folder_.path()})), separate);
  EXPECT_EQ(notices_.size(), 2U);
  EXPECT_EQ(mixed(read({folder_.path().string() + "/"})), separate);
}

TEST_F(KeyfileReaderTest, WhatIsWrongIsNamed) {
  const auto good = add("good", "x");
  const auto empty = add("empty", "");
  auto pool = read({good, empty});
  ASSERT_FALSE(pool.ok());
  EXPECT_EQ(pool.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(which_, empty);
  pool = read({folder_.path()});
  ASSERT_FALSE(pool.ok());
  EXPECT_EQ(which_, empty);
  pool = read({good, folder_.path() / "missing"});
  ASSERT_FALSE(pool.ok());
  EXPECT_EQ(pool.error().code, ErrorCode::not_found);
  EXPECT_EQ(which_, folder_.path() / "missing");
  std::filesystem::create_directory(folder_.path() / "none");
  add("none/.only-hidden", "x");
  pool = read({folder_.path() / "none"});
  ASSERT_FALSE(pool.ok());
  EXPECT_EQ(pool.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(which_, folder_.path() / "none");
  EXPECT_FALSE(read({""}).ok());
}

TEST_F(KeyfileReaderTest, FilesThatOthersCanReadAreNoticedOnce) {
  std::filesystem::create_directory(folder_.path() / "keys");
  for (const char* name : {"keys/a", "keys/b", "keys/c"}) {
    ASSERT_EQ(chmod(add(name, name).c_str(), 0644), 0);
  }
  ASSERT_TRUE(read({folder_.path() / "keys"}).ok());
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_NE(notices_[0].find(" and 2 more: the permissions let others read it"), std::string::npos);
  EXPECT_TRUE(read({add("private", "x")}).ok());
  EXPECT_TRUE(notices_.empty());
}

TEST_F(KeyfileReaderTest, UnreadableFileIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const auto file = add("locked", "x");
  ASSERT_EQ(chmod(file.c_str(), 0), 0);
  const auto pool = read({file});
  ASSERT_FALSE(pool.ok());
  EXPECT_EQ(pool.error().code, ErrorCode::permission);
  EXPECT_EQ(which_, file);
}

TEST_F(KeyfileReaderTest, TenThousandFiles) {
  std::filesystem::create_directory(folder_.path() / "many");
  std::vector<std::string> paths;
  for (int i = 0; i < 10000; ++i) paths.push_back(add("many/" + std::to_string(i), "key"));
  const auto pool = read({folder_.path() / "many"});
  ASSERT_TRUE(pool.ok()) << which_;
  EXPECT_EQ(pool->files(), 10000U);
  EXPECT_EQ(mixed(pool), mixed(read(paths)));
}

}  // namespace
}  // namespace volt
