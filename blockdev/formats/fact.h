// What is told about a volume, in order: for people as lines, for programs as JSON. Whoever prints
// facts knows nothing of the format that they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace volt {

struct Fact;

// An object is a list of facts with names, a list one of objects.
using FactObject = std::vector<Fact>;
using FactList = std::vector<FactObject>;
using FactValue =
    std::variant<std::nullptr_t, bool, std::uint64_t, std::string, FactObject, FactList>;

// Where a fact is told: by `volt info`, in status.json while the volume is open, or by both.
enum class FactPlace : std::uint8_t { info, status, both };

struct Fact {
  std::string name;  // in JSON: "data_offset_bytes"; empty: not there
  FactValue value = nullptr;
  std::string label;  // for people: "data offset"; empty: not shown
  std::string text;   // for people; empty: the value
  FactPlace place = FactPlace::info;
  bool is_size = false;  // bytes: people see them in larger units as well
};

// Only for programs.
inline Fact field(std::string name, FactValue value, FactPlace place = FactPlace::info) {
  return {std::move(name), std::move(value), {}, {}, place};
}
// Only for people.
inline Fact line(std::string label, std::string text) {
  return {{}, nullptr, std::move(label), std::move(text)};
}

}  // namespace volt
