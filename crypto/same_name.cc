#include "crypto/same_name.h"

#include <algorithm>

namespace volt {
namespace {

constexpr std::string_view separators = "-_ ()";

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Takes the next letter or digit off `text`; 0 at its end.
char next_letter(std::string_view* text) noexcept {
  while (!text->empty()) {
    const char c = text->front();
    text->remove_prefix(1);
    if (separators.find(c) == std::string_view::npos) return lower(c);
  }
  return 0;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) noexcept {
  bool any = false;
  for (;;) {
    const char x = next_letter(&a);
    if (x != next_letter(&b)) return false;
    if (x == 0) return any;
    any = true;
  }
}

std::string_view without_prefix(std::string_view name, std::string_view prefix) noexcept {
  const bool there = name.size() >= prefix.size() &&
                     std::equal(prefix.begin(), prefix.end(), name.begin(),
                                [](char x, char y) { return lower(x) == lower(y); });
  return there ? name.substr(prefix.size()) : name;
}

}  // namespace volt
