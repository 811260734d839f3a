#include "tools/voltest/report/text_table.h"

#include <gtest/gtest.h>

namespace volt {
namespace {

TextTable sample() {
  TextTable table({{"name", true, 0}, {"MB/s", false, 0}, {"detail", true, 2}, {"x", false, 1}});
  table.add_row({"seq", "1234", "µs, \"quoted\"", "1"});
  table.add_row({"rand|4k", "5"});
  return table;
}

TEST(TextTable, AlignsByCharactersNotBytes) {
  EXPECT_EQ(sample().text(80),
            "name     MB/s  detail        x\n"
            "seq      1234  µs, \"quoted\"  1\n"
            "rand|4k     5\n");
}

TEST(TextTable, DropsTheLeastImportantWhereNarrow) {
  EXPECT_EQ(sample().text(20),
            "name     MB/s  x\n"
            "seq      1234  1\n"
            "rand|4k     5\n");
  EXPECT_EQ(sample().text(5),
            "name     MB/s\n"
            "seq      1234\n"
            "rand|4k     5\n");
}

TEST(TextTable, Csv) {
  EXPECT_EQ(sample().csv(),
            "name,MB/s,detail,x\n"
            "seq,1234,\"µs, \"\"quoted\"\"\",1\n"
            "rand|4k,5,,\n");
}

TEST(TextTable, Markdown) {
  EXPECT_EQ(sample().markdown(),
            "| name | MB/s | detail | x |\n"
            "| --- | ---: | --- | ---: |\n"
            "| seq | 1234 | µs, \"quoted\" | 1 |\n"
            "| rand\\|4k | 5 |  |  |\n");
}

TEST(Wrapped, BreaksAtSpacesOnly) {
  EXPECT_EQ(wrapped("one two three", 0), "one two three\n");
  EXPECT_EQ(wrapped("one two three", 13), "one two three\n");
  EXPECT_EQ(wrapped("one two three", 12), "one two\n  three\n");
  EXPECT_EQ(wrapped("±± µµ xx", 5), "±± µµ\n  xx\n");
  EXPECT_EQ(wrapped("longer-than-that x", 5), "longer-than-that\n  x\n");
}

TEST(Bar, FillsByEighths) {
  EXPECT_EQ(bar(0, 4, true), "");
  EXPECT_EQ(bar(1, 4, true), "████");
  EXPECT_EQ(bar(2, 4, true), "████");
  EXPECT_EQ(bar(0.5 + 1.0 / 32, 4, true), "██▏");
  EXPECT_EQ(bar(0.5, 4, false), "##");
}

}  // namespace
}  // namespace volt
