#include "crypto/base/secure_buffer.h"

#include <cstring>
#include <utility>

#include <gtest/gtest.h>

namespace volt {
namespace {

TEST(SecureBuffer, StartsZeroedAndMoves) {
  auto made = SecureBuffer::create(100);
  ASSERT_TRUE(made.ok());
  SecureBuffer a = *std::move(made);
  for (const std::uint8_t byte : a.span()) EXPECT_EQ(byte, 0);
  std::memset(a.data(), 0x5A, a.size());
  const std::uint8_t* where = a.data();
  SecureBuffer b = std::move(a);
  EXPECT_EQ(b.data(), where);
  EXPECT_EQ(b.size(), 100U);
  EXPECT_EQ(a.size(), 0U);  // NOLINT: a moved-from buffer is empty by contract
}

TEST(SecureBuffer, ShrinkWipesWhatFallsOff) {
  auto made = SecureBuffer::create(64);
  ASSERT_TRUE(made.ok());
  std::memset(made->data(), 0xFF, 64);
  std::uint8_t* memory = made->data();
  made->shrink(10);
  EXPECT_EQ(made->size(), 10U);
  EXPECT_EQ(memory[9], 0xFF);
  for (int i = 10; i < 64; ++i) EXPECT_EQ(memory[i], 0);
}

TEST(SecureBuffer, AbsurdSizeIsAnError) {
  EXPECT_FALSE(SecureBuffer::create(SIZE_MAX).ok());
  EXPECT_FALSE(SecureBuffer::create(SIZE_MAX / 2).ok());
}

TEST(SecureEqual, ComparesAllBytes) {
  const char a[] = "abcd";
  const char b[] = "abce";
  EXPECT_TRUE(secure_equal(a, a, 4));
  EXPECT_FALSE(secure_equal(a, b, 4));
  EXPECT_TRUE(secure_equal(a, b, 3));
  EXPECT_TRUE(secure_equal(a, b, 0));
}

}  // namespace
}  // namespace volt
