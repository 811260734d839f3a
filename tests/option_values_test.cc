#include "blockdev/host/option_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace volt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Sample {
  CLI::App app{"A tool for tests", "tool"};
  std::uint32_t pim = 0;
  std::uint64_t seed = 0;
  std::uint32_t sector = 512;
  int descriptor = -1;
  std::vector<double> fill;
  std::string engine = "auto";
  std::string file;

  Sample() {
    CLI::App* command = app.add_subcommand("open");
    command->add_option("--pim", pim)->transform(whole_number(0, 100));
    command->add_option("--seed", seed);
    command->add_option("--fd", descriptor);
    command->add_option("--sector", sector)->transform(one_number_of({512, 4096}));
    command->add_option("--fill", fill)->delimiter(',');
    command->add_option("--io", engine)->transform(one_of({"auto", "io_uring"}));
    command->add_option("--file", file);
    settle_option_values(&app);
  }

  // What was wrong, or nothing.
  std::string parse(const std::string& option, const std::string& value) {
    try {
      app.parse(std::vector<std::string>{value, option, "open"});  // CLI11 takes them from the back
      return "";
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
  }
};

TEST(OptionValues, ALeadingZeroIsDecimal) {
  Sample sample;
  EXPECT_EQ(sample.parse("--pim", "010"), "");
  EXPECT_EQ(sample.pim, 10U);
  EXPECT_EQ(sample.parse("--seed", "0099"), "");
  EXPECT_EQ(sample.seed, 99U);
  EXPECT_EQ(sample.parse("--fd", "07"), "");
  EXPECT_EQ(sample.descriptor, 7);
  EXPECT_EQ(sample.parse("--sector", "04096"), "");
  EXPECT_EQ(sample.sector, 4096U);
  EXPECT_EQ(sample.parse("--fill", "010,12.5"), "");
  EXPECT_THAT(sample.fill, ElementsAre(10.0, 12.5));
}

TEST(OptionValues, NothingButDigitsIsANumber) {
  for (const char* option : {"--pim", "--seed", "--fd", "--sector", "--fill"}) {
    for (const char* bad : {"0x10", "", " 5", "5 ", "+5", "-5", "1e1", "5.", ".5", "nan", "0b1",
                            "18446744073709551616x", "٣"}) {
      Sample sample;
      EXPECT_THAT(sample.parse(option, bad), AllOf(HasSubstr(option), HasSubstr("must be")))
          << option << " '" << bad << "'";
    }
  }
}

TEST(OptionValues, NumbersThatDoNotFitAreRefused) {
  Sample sample;
  EXPECT_THAT(sample.parse("--pim", "101"), HasSubstr("--pim: must be a whole number in decimal "
                                                      "digits, 0 to 100"));
  EXPECT_THAT(sample.parse("--seed", "18446744073709551616"), HasSubstr("must be"));
  EXPECT_EQ(sample.parse("--seed", "18446744073709551615"), "");
  EXPECT_EQ(sample.seed, UINT64_MAX);
  EXPECT_THAT(sample.parse("--fd", "2147483648"), HasSubstr("must be"));
  EXPECT_THAT(sample.parse("--sector", "1000"), HasSubstr("must be one of 512, 4096"));
}

TEST(OptionValues, ProblemsNeverRepeatTheValue) {
  for (const char* option : {"--pim", "--seed", "--fd", "--sector", "--fill", "--io"}) {
    Sample sample;
    EXPECT_THAT(sample.parse(option, "hunter2"),
                AllOf(HasSubstr(option), Not(HasSubstr("hunter"))));
  }
}

TEST(OptionValues, WordsInAnyLetterCaseBecomeTheirOwnSpelling) {
  Sample sample;
  EXPECT_EQ(sample.parse("--io", "IO-Uring"), "");
  EXPECT_EQ(sample.engine, "io_uring");
  EXPECT_THAT(sample.parse("--io", "uring"), HasSubstr("must be one of auto, io_uring"));
}

TEST(OptionValues, TextIsNotEmpty) {
  Sample sample;
  EXPECT_THAT(sample.parse("--file", ""), HasSubstr("--file: must not be empty"));
  EXPECT_EQ(sample.parse("--file", "x"), "");
}

}  // namespace
}  // namespace volt
