#include "blockdev/host/printable_text.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace volt {
namespace {

// A character of UTF-8 (RFC 3629): how many bytes it has, and its number. 0 bytes: none begins
// here.
struct Character {
  std::size_t bytes = 0;
  std::uint32_t number = 0;
};

Character character_at(std::string_view text) noexcept {
  struct Row {
    std::uint8_t mask;
    std::uint8_t lead;
    std::size_t bytes;
    std::uint32_t least;  // smaller numbers have a shorter form
  };
  constexpr std::array<Row, 4> rows = {{{0x80, 0x00, 1, 0},
                                        {0xE0, 0xC0, 2, 0x80},
                                        {0xF0, 0xE0, 3, 0x800},
                                        {0xF8, 0xF0, 4, 0x10000}}};
  const auto lead = static_cast<std::uint8_t>(text.front());
  for (const Row& row : rows) {
    if ((lead & row.mask) != row.lead || text.size() < row.bytes) continue;
    std::uint32_t number = lead & static_cast<std::uint8_t>(~row.mask);
    for (std::size_t i = 1; i < row.bytes; ++i) {
      const auto byte = static_cast<std::uint8_t>(text[i]);
      if ((byte & 0xC0) != 0x80) return {};
      number = number << 6 | (byte & 0x3F);
    }
    const bool surrogate = number >= 0xD800 && number <= 0xDFFF;
    if (number < row.least || number > 0x10FFFF || surrogate) return {};
    return {row.bytes, number};
  }
  return {};
}

bool is_harmless(std::uint32_t number) noexcept {
  if (number < 0x20 || (number >= 0x7F && number < 0xA0)) return false;
  if (number == 0x2028 || number == 0x2029) return false;  // line and paragraph separators
  if (number == 0x061C || number == 0x200E || number == 0x200F) return false;  // marks of direction
  if (number >= 0x202A && number <= 0x202E) return false;  // embeddings and overrides
  if (number >= 0x2066 && number <= 0x2069) return false;  // isolates
  return true;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = character_at(text);
    if (character.bytes != 0 && is_harmless(character.number)) {
      out += text.substr(0, character.bytes);
      text.remove_prefix(character.bytes);
      continue;
    }
    for (std::size_t i = 0; i < (character.bytes == 0 ? 1 : character.bytes); ++i) {
      const auto byte = static_cast<std::uint8_t>(text[i]);
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 0xF];
    }
    text.remove_prefix(character.bytes == 0 ? 1 : character.bytes);
  }
  return out;
}

}  // namespace volt
