#include "crypto/modes/cascade_spec.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace volt {
namespace {

TEST(CascadeSpec, NamesAreTheReverseOfTheEncryptionOrder) {
  std::set<std::string> seen;
  for (const CascadeSpec& spec : all_cascades()) {
    std::string name;
    for (std::size_t i = spec.layers; i-- > 0;) {
      if (!name.empty()) name += '-';
      name += cipher_name(spec.encryption_order[i]);
    }
    EXPECT_EQ(name, spec.name);
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_EQ(find_cascade(name), &spec);
    std::string label = spec.label;
    std::transform(label.begin(), label.end(), label.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (name != "des3") {
      EXPECT_EQ(label, name);
    }
    EXPECT_NE(spec.legacy, spec.truecrypt || spec.veracrypt) << name;
  }
}

TEST(CascadeSpec, ListsWhatTheProgramsOffer) {
  const auto count = [](auto predicate) {
    return std::count_if(all_cascades().begin(), all_cascades().end(), predicate);
  };
  EXPECT_EQ(count([](const CascadeSpec& s) { return s.veracrypt; }), 15);
  EXPECT_EQ(count([](const CascadeSpec& s) { return s.truecrypt; }), 8);
  EXPECT_EQ(find_cascade("aes-serpent"), nullptr);
  EXPECT_EQ(find_cascade("AES"), find_cascade("aes"));
}

}  // namespace
}  // namespace volt
