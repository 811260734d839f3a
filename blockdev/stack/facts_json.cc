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

void add_facts(const std::vector<Fact>& facts, FactPlace place, nlohmann::ordered_json* out) {
  for (const Fact& fact : facts) {
    const bool told = fact.place == place || fact.place == FactPlace::both;
    if (told && !fact.name.empty()) (*out)[fact.name] = value_of(fact.value);
  }
}

}  // namespace volt
