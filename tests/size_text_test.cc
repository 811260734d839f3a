#include "tools/size_text.h"

#include <gtest/gtest.h>

namespace volt {
namespace {

std::uint64_t size_of(std::string_view text) {
  const auto result = parse_size(text);
  EXPECT_TRUE(result.ok()) << text;
  return result ? *result : 0;
}

ErrorCode size_error(std::string_view text) {
  const auto result = parse_size(text);
  EXPECT_FALSE(result.ok()) << text;
  return result ? ErrorCode::internal : result.error().code;
}

TEST(ParseSize, PowersOf1024) {
  EXPECT_EQ(size_of("0"), 0U);
  EXPECT_EQ(size_of("512"), 512U);
  EXPECT_EQ(size_of("512B"), 512U);
  EXPECT_EQ(size_of("64K"), 65536U);
  EXPECT_EQ(size_of("64k"), 65536U);
  EXPECT_EQ(size_of("64KiB"), 65536U);
  EXPECT_EQ(size_of("3M"), 3U << 20);
  EXPECT_EQ(size_of("1G"), 1ULL << 30);
  EXPECT_EQ(size_of("2TiB"), 2ULL << 40);
  EXPECT_EQ(size_of("1P"), 1ULL << 50);
}

TEST(ParseSize, PowersOf1000) {
  EXPECT_EQ(size_of("64KB"), 64'000U);
  EXPECT_EQ(size_of("64kb"), 64'000U);
  EXPECT_EQ(size_of("100 MB"), 100'000'000U);
  EXPECT_EQ(size_of("4TB"), 4'000'000'000'000U);
}

TEST(ParseSize, FractionsAreExact) {
  EXPECT_EQ(size_of("1.5G"), 1'610'612'736U);
  EXPECT_EQ(size_of("0.5K"), 512U);
  EXPECT_EQ(size_of("0.000001MB"), 1U);
  EXPECT_EQ(size_of("1.999999TB"), 1'999'999'000'000U);
  EXPECT_EQ(size_of("0.3"), 0U);
}

TEST(ParseSize, RefusesWhatIsNotASize) {
  for (const char* text :
       {"",     " ",  " 5",    "5 ",    "5K ",  "K",   "-1",         "+1",  "1.",  ".5",
        "1,5G", "1X", "1KiBB", "1 G B", "0x10", "1e9", "1.0000001G", "1KI", "nan", "1GG"}) {
    EXPECT_EQ(size_error(text), ErrorCode::invalid_argument);
  }
}

TEST(ParseSize, RefusesOverflow) {
  EXPECT_EQ(size_of("9223372036854775807"), 9223372036854775807U);
  EXPECT_EQ(size_error("9223372036854775808"), ErrorCode::out_of_range);
  EXPECT_EQ(size_error("18446744073709551616"), ErrorCode::out_of_range);
  EXPECT_EQ(size_error("8192P"), ErrorCode::out_of_range);
  EXPECT_EQ(size_error("99999999999999T"), ErrorCode::out_of_range);
  EXPECT_EQ(size_of("8191.999P"), 9223370910954868965U);
}

TEST(ParseDuration, Units) {
  EXPECT_EQ(*parse_duration_ns("5"), 5'000'000'000U);
  EXPECT_EQ(*parse_duration_ns("0.25"), 250'000'000U);
  EXPECT_EQ(*parse_duration_ns("300ms"), 300'000'000U);
  EXPECT_EQ(*parse_duration_ns("2m"), 120'000'000'000U);
  EXPECT_EQ(*parse_duration_ns("1000h"), 3'600'000'000'000'000U);
  EXPECT_FALSE(parse_duration_ns("1001h").ok());
  EXPECT_FALSE(parse_duration_ns("5 parsecs").ok());
  EXPECT_FALSE(parse_duration_ns("-1").ok());
}

TEST(FormatSize, ReadsBack) {
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(1023), "1023 B");
  EXPECT_EQ(format_size(1024), "1 KiB");
  EXPECT_EQ(format_size(1536), "1.5 KiB");
  EXPECT_EQ(format_size(1ULL << 30), "1 GiB");
  EXPECT_EQ(format_size(1'000'000'000), "953.67 MiB");
  for (const std::uint64_t bytes : {4096ULL, 1ULL << 20, 3ULL << 40, 1ULL << 50}) {
    EXPECT_EQ(size_of(format_size(bytes)), bytes);
  }
}

TEST(FormatRate, IsDecimalMegabytes) {
  EXPECT_EQ(format_rate(1e9), "1000 MB/s");
  EXPECT_EQ(format_rate(1048576), "1.05 MB/s");
  EXPECT_EQ(format_rate(12'345'678), "12.3 MB/s");
  EXPECT_EQ(format_rate(512'000), "0.512 MB/s");
}

TEST(FormatLatency, ChoosesTheUnit) {
  EXPECT_EQ(format_latency(850), "850 ns");
  EXPECT_EQ(format_latency(12'300), "12.3 us");
  EXPECT_EQ(format_latency(4'560'000), "4.56 ms");
  EXPECT_EQ(format_latency(1'200'000'000), "1.20 s");
}

}  // namespace
}  // namespace volt
