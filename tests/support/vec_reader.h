// Reads files of published test vectors: `[Section]` names the algorithm, `Name = HEX` are a case's
// fields; a case ends with its `Out`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace volt {

using Bytes = std::vector<std::uint8_t>;

inline Bytes from_hex(std::string_view hex) {
  const auto digit = [](char c) -> unsigned {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
    throw std::runtime_error("not a hexadecimal digit");
  };
  if (hex.size() % 2 != 0) throw std::runtime_error("odd number of hexadecimal digits");
  Bytes bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  }
  return bytes;
}

struct VectorCase {
  std::string section;
  int line = 0;  // of `Out`, for messages
  std::map<std::string, Bytes> fields;

  const Bytes& at(const std::string& name) const { return fields.at(name); }
};

inline std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

// Cases of one section. Throws where a line cannot be understood or the file cannot be read.
inline std::vector<VectorCase> read_vectors(const std::filesystem::path& path,
                                            const std::string& section) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::vector<VectorCase> cases;
  VectorCase current;
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    text = trimmed(text);
    if (text.empty() || text.front() == '#') continue;
    if (text.front() == '[') {
      current = {};
      current.section = text.substr(1, text.find(']') - 1);
      continue;
    }
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw std::runtime_error("no '=' in line: " + text);
    const std::string name = trimmed(std::string_view(text).substr(0, equals));
    if (current.section != section) continue;
    current.fields[name] = from_hex(trimmed(std::string_view(text).substr(equals + 1)));
    if (name == "Out") {
      current.line = line;
      cases.push_back(current);
      current.fields.clear();
    }
  }
  return cases;
}

}  // namespace volt
