#include "blockdev/stack/facts_json.h"

#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

namespace volt {
namespace {

using Json = nlohmann::ordered_json;

Json object_of(const FactObject& facts);

Json value_of(const FactValue& value) {
  return std::visit(
      [](const auto& held) {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, FactObject>) {
          return object_of(held);
        } else if constexpr (std::is_same_v<Held, FactList>) {
          Json list = Json::array();
          for (const FactObject& item : held) list.push_back(object_of(item));
          return list;
        } else {
          return Json(held);
        }
      },
      value);
}

Json object_of(const FactObject& facts) {
  Json object = Json::object();
  for (const Fact& fact : facts) object[fact.name] = value_of(fact.value);
  return object;
}

}  // namespace

nlohmann::ordered_json parse_outside_json(std::string_view text) {
  constexpr int max_depth = 32;
  const auto refused = [] { return Json(Json::value_t::discarded); };
  if (text.size() > max_outside_json_bytes) return refused();
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > max_depth) return refused();
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

void add_facts(const std::vector<Fact>& facts, FactPlace place, nlohmann::ordered_json* out) {
  for (const Fact& fact : facts) {
    const bool told = fact.place == place || fact.place == FactPlace::both;
    if (told && !fact.name.empty()) (*out)[fact.name] = value_of(fact.value);
  }
}

}  // namespace volt
