// All entries of Serpent's S-boxes and their inverses as the kernels compute them, against the
// published tables (Anderson, Biham, Knudsen: the AES proposal, appendix A.5).
#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include "crypto/ciphers/serpent/serpent_sboxes.inl.h"
#include "crypto/ciphers/serpent/serpent_ternary.inl.h"

namespace volt {
namespace {

constexpr std::array<std::array<unsigned, 16>, 8> published = {{
    {3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12},
    {15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4},
    {8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2},
    {0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14},
    {1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13},
    {15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1},
    {7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0},
    {1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6},
}};

std::array<unsigned, 16> inverse_of(const std::array<unsigned, 16>& box) {
  std::array<unsigned, 16> inverse{};
  for (unsigned x = 0; x < 16; ++x) inverse[box[x]] = x;
  return inverse;
}

// A truth table: bit x is the value for the input x. Sixteen one-bit lanes.
struct Table {
  std::uint16_t v;

  static Table of(unsigned bits) { return {static_cast<std::uint16_t>(bits)}; }
  friend Table operator^(Table a, Table b) { return of(a.v ^ b.v); }
  friend Table operator&(Table a, Table b) { return of(a.v & b.v); }
  friend Table operator|(Table a, Table b) { return of(a.v | b.v); }
  friend Table and_not(Table a, Table b) { return of(a.v & ~b.v); }
  template <int table>
  static Table lookup(Table a, Table b, Table c) {
    unsigned bits = 0;
    for (int x = 0; x < 16; ++x) {
      const int index = (a.v >> x & 1) * 4 + (b.v >> x & 1) * 2 + (c.v >> x & 1);
      bits |= static_cast<unsigned>(table >> index & 1) << x;
    }
    return of(bits);
  }
};

// Runs a box on all 16 inputs at once.
template <class Function>
std::array<unsigned, 16> entries(Function box) {
  std::array<Table, 4> t = {Table{0xAAAA}, Table{0xCCCC}, Table{0xF0F0}, Table{0xFF00}};
  box(t[0], t[1], t[2], t[3]);
  std::array<unsigned, 16> result{};
  for (unsigned x = 0; x < 16; ++x) {
    for (unsigned bit = 0; bit < 4; ++bit) result[x] |= (t[bit].v >> x & 1U) << bit;
  }
  return result;
}

std::array<unsigned, 16> without_constant(std::array<unsigned, 16> box) {
  const unsigned constant = box[0];
  for (unsigned& entry : box) entry ^= constant;
  return box;
}

template <int box>
class Box {
 public:
  static void check() {
    SCOPED_TRACE(testing::Message() << "box " << box);
    const auto forward = published[box];
    const auto inverse = inverse_of(forward);
    EXPECT_EQ(entries([](auto&... x) { serpent::GateBoxes::forward<box>(x...); }),
              without_constant(forward));
    EXPECT_EQ(entries([](auto&... x) { serpent::GateBoxes::inverse<box>(x...); }),
              without_constant(inverse));
    EXPECT_EQ(entries([](auto&... x) { serpent::TernaryBoxes::forward<box>(x...); }), forward);
    EXPECT_EQ(entries([](auto&... x) { serpent::TernaryBoxes::inverse<box>(x...); }), inverse);
    if constexpr (box < 7) Box<box + 1>::check();
  }
};

TEST(SerpentSboxes, AllEntriesAreThePublishedOnes) {
  Box<0>::check();
}

}  // namespace
}  // namespace volt
