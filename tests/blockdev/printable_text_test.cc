#include "blockdev/host/printable_text.h"

#include <string>

#include <gtest/gtest.h>

namespace volt {
namespace {

using std::string_literals::operator""s;

TEST(PrintableText, OrdinaryNamesStayAsTheyAre) {
  for (const char* text : {"", "/home/me/a b.hc", "Größe", "容器", "\xF0\x9F\x94\x92", "a\\b"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(PrintableText, ControlCharactersAreSpeltOut) {
  EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(printable("a\nvolt: b"), "a\\x0avolt: b");
  EXPECT_EQ(printable("a\0b"s), "a\\x00b");
  EXPECT_EQ(printable("\t\r\x7f"), "\\x09\\x0d\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xc2\\x9b31m")
      << "the one-byte form of ESC [";
  EXPECT_EQ(printable("\xE2\x80\xAE"), "\\xe2\\x80\\xae") << "right-to-left override";
  EXPECT_EQ(printable("\xE2\x80\xA8"), "\\xe2\\x80\\xa8") << "line separator";
}

TEST(PrintableText, WhatIsNoUtf8IsSpeltOut) {
  EXPECT_EQ(printable("\xFF"), "\\xff");
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("\xC3"), "\\xc3") << "cut off";
  EXPECT_EQ(printable("\xC0\x9B"), "\\xc0\\x9b") << "longer than need be";
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "past the last character";
}

TEST(PrintableText, EveryByteComesOutHarmless) {
  for (int byte = 0; byte < 256; ++byte) {
    for (const std::string& text :
         {std::string(1, static_cast<char>(byte)), "\xC2"s + static_cast<char>(byte)}) {
      const std::string out = printable(text);
      for (const char character : out) {
        EXPECT_FALSE(static_cast<unsigned char>(character) < 0x20 || character == 0x7F) << byte;
      }
      EXPECT_EQ(printable(out), out) << byte;
    }
  }
}

}  // namespace
}  // namespace volt
