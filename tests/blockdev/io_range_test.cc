#include "blockdev/device/io_range.h"

#include <gtest/gtest.h>

namespace volt {
namespace {

// Every offset and length over a few blocks, against counting bytes one by one.
TEST(SplitAligned, AgreesWithCountingBytes) {
  for (std::uint64_t alignment = 1; alignment <= 8; alignment *= 2) {
    for (std::uint64_t offset = 0; offset < 20; ++offset) {
      for (std::uint64_t length = 0; length < 40; ++length) {
        const AlignedSplit split = split_aligned(offset, length, alignment);
        ASSERT_EQ(split.head_bytes + split.middle_bytes + split.tail_bytes, length);
        std::uint64_t in_whole_blocks = 0;
        for (std::uint64_t byte = offset; byte < offset + length; ++byte) {
          const std::uint64_t block = byte / alignment * alignment;
          if (block >= offset && block + alignment <= offset + length) ++in_whole_blocks;
        }
        ASSERT_EQ(split.middle_bytes, in_whole_blocks) << offset << " " << length;
        ASSERT_EQ(split.whole_blocks(), in_whole_blocks == length);
        ASSERT_LT(split.head_bytes, alignment);
        ASSERT_LT(split.tail_bytes, alignment);
        if (split.middle_bytes != 0) {
          ASSERT_EQ((offset + split.head_bytes) % alignment, 0U);
        }
      }
    }
  }
}

TEST(Align, UpAndDown) {
  for (std::uint64_t alignment = 1; alignment <= 16; alignment *= 2) {
    for (std::uint64_t value = 0; value < 70; ++value) {
      EXPECT_EQ(align_down(value, alignment), value / alignment * alignment);
      EXPECT_EQ(align_up(value, alignment), (value + alignment - 1) / alignment * alignment);
    }
  }
}

TEST(PowerOfTwo, KnowsThem) {
  EXPECT_FALSE(is_power_of_two(0));
  EXPECT_TRUE(is_power_of_two(1));
  EXPECT_TRUE(is_power_of_two(std::uint64_t{1} << 63));
  EXPECT_FALSE(is_power_of_two(3));
  EXPECT_FALSE(is_power_of_two(UINT64_MAX));
}

TEST(RangesOverlap, AgreesWithCountingBytes) {
  for (std::uint64_t a = 0; a < 6; ++a) {
    for (std::uint64_t a_length = 1; a_length < 5; ++a_length) {
      for (std::uint64_t b = 0; b < 6; ++b) {
        for (std::uint64_t b_length = 1; b_length < 5; ++b_length) {
          bool shared = false;
          for (std::uint64_t i = a; i < a + a_length; ++i) shared |= i >= b && i < b + b_length;
          EXPECT_EQ(ranges_overlap(a, a_length, b, b_length), shared);
        }
      }
    }
  }
}

}  // namespace
}  // namespace volt
