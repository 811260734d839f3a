#include "blockdev/host/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "blockdev/host/name_suggestion.h"

namespace volt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A program with one command of each kind of row.
struct Sample {
  Command program{"tool", "A tool for tests"};
  std::string file;
  std::string engine = "auto";
  bool read_only = false;
  bool direct = true;
  std::uint32_t pim = 7;
  std::uint64_t seed = 1;
  int descriptor = -1;
  bool pim_given = false;
  std::vector<std::string> keyfiles;
  std::vector<std::uint32_t> fill;

  Sample() {
    Command& open = program.add_command("open", "open a thing");
    open.add("FILE", &file, "what is opened").needed();
    open.add("-r,--read-only", &read_only, "never write");
    open.add("--buffered", &direct, "through the cache").turns_off();
    open.add("--io", &engine, "the engine").among({"auto", "io_uring"});
    open.add("--pim", &pim, "a number").between(1, 100).tells(&pim_given);
    open.add("--seed", &seed, "a large number");
    open.add("--fd", &descriptor, "a descriptor").not_shown();
    open.add("--keyfile", &keyfiles, "may be repeated").under("Opening");
    open.add("--fill", &fill, "percent").between(0, 100).separated_by_commas();
    open.example("tool open x", "opens x");
    open.runs([] { return 0; });
    program.add_command("close", "close a thing").runs([] { return 0; });
  }

  ParsedCommandLine parse(const std::vector<const char*>& words) {
    std::vector<const char*> argv = {"tool"};
    argv.insert(argv.end(), words.begin(), words.end());
    return parse_command_line(program, "tool 1.0", static_cast<int>(argv.size()), argv.data());
  }
};

TEST(CommandLine, FillsWhatIsGivenAndLeavesTheRest) {
  Sample sample;
  const auto parsed = sample.parse({"open", "--pim", "010", "-r", "--fd=3", "--keyfile", "a",
                                    "--keyfile=b", "--fill", "0,54", "--buffered", "--", "--io"});
  ASSERT_NE(parsed.chosen, nullptr) << parsed.problem;
  EXPECT_EQ(parsed.chosen->name(), "open");
  EXPECT_EQ(sample.file, "--io");
  EXPECT_EQ(sample.pim, 10U);
  EXPECT_TRUE(sample.pim_given);
  EXPECT_TRUE(sample.read_only);
  EXPECT_FALSE(sample.direct);
  EXPECT_EQ(sample.descriptor, 3);
  EXPECT_EQ(sample.engine, "auto");
  EXPECT_EQ(sample.seed, 1U);
  EXPECT_THAT(sample.keyfiles, ElementsAre("a", "b"));
  EXPECT_THAT(sample.fill, ElementsAre(0U, 54U));
}

TEST(CommandLine, AListOfArgumentsTakesAllThatAreThere) {
  std::vector<std::string> targets;
  std::string baseline;
  Command program("tool", "");
  program.add("TARGET", &targets, "several").needed();
  program.add("--baseline", &baseline, "one");
  program.runs([] { return 0; });
  const char* const argv[] = {"tool", "a", "--baseline", "b", "c", "d"};
  const auto parsed = parse_command_line(program, "", 6, argv);
  ASSERT_NE(parsed.chosen, nullptr) << parsed.problem;
  EXPECT_THAT(targets, ElementsAre("a", "c", "d"));
  EXPECT_EQ(baseline, "b");
}

TEST(CommandLine, ChoicesInAnyLetterCase) {
  Sample sample;
  ASSERT_NE(sample.parse({"open", "x", "--io", "IO_Uring"}).chosen, nullptr);
  EXPECT_EQ(sample.engine, "io_uring");
}

TEST(CommandLine, NumbersAreDecimalDigitsInRange) {
  for (const char* bad : {"0x10", "", " 5", "5 ", "+5", "-5", "1e2", "0", "101", "٣",
                          "18446744073709551616", "4294967297"}) {
    Sample sample;
    const auto parsed = sample.parse({"open", "x", "--pim", bad});
    EXPECT_EQ(parsed.chosen, nullptr) << bad;
    EXPECT_EQ(parsed.exit_status, exit_wrong_parameters) << bad;
    EXPECT_THAT(parsed.problem, AllOf(HasSubstr("--pim"), HasSubstr("1 to 100"))) << bad;
  }
}

TEST(CommandLine, ProblemsNameTheOptionAndNeverAValue) {
  const struct {
    std::vector<const char*> words;
    const char* said;
  } cases[] = {
      {{"open", "x", "--pmi", "hunter2"}, "unknown option --pmi; did you mean --pim?"},
      {{"open", "x", "--pasword=hunter2"}, "unknown option --pasword"},
      {{"open", "x", "hunter2"}, "an argument too many"},
      {{"open", "x", "--read-only=hunter2"}, "--read-only takes no value"},
      {{"open", "x", "--io", "hunter2"}, "--io: must be one of auto, io_uring"},
      {{"open", "x", "--pim", "hunter2"}, "--pim: must be a whole number"},
      {{"open", "x", "--pim"}, "--pim needs a value"},
      {{"open", "x", "--pim", "3", "--pim", "4"}, "--pim is given more than once"},
      {{"opne", "x"}, "unknown command 'opne'; did you mean open?"},
      {{"hunter2!"}, "an argument too many"},
      {{}, "name a command: open, close"},
      {{"open"}, "FILE is required"},
  };
  for (const auto& c : cases) {
    Sample sample;
    const auto parsed = sample.parse(c.words);
    EXPECT_EQ(parsed.chosen, nullptr) << c.said;
    EXPECT_THAT(parsed.problem, AllOf(HasSubstr(c.said), Not(HasSubstr("hunter2"))));
    EXPECT_EQ(parsed.exit_status, exit_wrong_parameters);
  }
}

TEST(CommandLine, HelpShowsRowsAndExamples) {
  Sample sample;
  const auto parsed = sample.parse({"open", "--help"});
  EXPECT_EQ(parsed.chosen, nullptr);
  EXPECT_EQ(parsed.exit_status, exit_done);
  EXPECT_THAT(parsed.output,
              AllOf(HasSubstr("Usage: tool open [OPTIONS] FILE"), HasSubstr("-r,--read-only"),
                    HasSubstr("Opening:"), HasSubstr("Examples:\n    tool open x"),
                    Not(HasSubstr("--fd"))));
  EXPECT_EQ(sample.parse({"--version"}).output, "tool 1.0\n");
}

TEST(NearestName, OneSlipOfTheFingersOrTwoInLongWords) {
  const std::vector<std::string> names = {"--read-only", "--pim", "--prf"};
  EXPECT_EQ(nearest_name("--raed-only", names), "--read-only");
  EXPECT_EQ(nearest_name("--readonly", names), "--read-only");
  EXPECT_EQ(nearest_name("--pin", names), "--pim");
  EXPECT_EQ(nearest_name("--something", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name(std::string(4000, 'x'), names), "");
}

}  // namespace
}  // namespace volt
