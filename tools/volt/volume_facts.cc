#include "tools/volt/volume_facts.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <variant>

#include "blockdev/host/printable_text.h"
#include "blockdev/stack/facts_json.h"
#include "tools/common/size_text.h"

namespace volt {
namespace {

std::string text_of(const Fact& fact) {
  if (!fact.text.empty()) return fact.text;
  if (const auto* number = std::get_if<std::uint64_t>(&fact.value)) {
    return fact.is_size ? fmt::format("{} ({} bytes)", format_size(*number), *number)
                        : std::to_string(*number);
  }
  if (const auto* flag = std::get_if<bool>(&fact.value)) return *flag ? "yes" : "no";
  if (const auto* text = std::get_if<std::string>(&fact.value)) return *text;
  return "none";
}

void print_lines(const std::vector<Fact>& facts) {
  for (const Fact& fact : facts) {
    if (fact.label.empty() || fact.place == FactPlace::status) continue;
    fmt::print("{:<16}{}\n", fact.label + ":", printable(text_of(fact)));
  }
}

}  // namespace

void print_volume_facts(const std::string& file, const OpenedVolume& volume,
                        std::uint64_t container_bytes, bool json, const std::vector<Fact>& more) {
  const std::vector<Fact> container = {
      {"file", file, "file", {}},
      {"container_bytes", container_bytes, "container", {}, FactPlace::info, /*is_size=*/true}};
  if (!json) {
    print_lines(container);
    print_lines(volume.facts);
    print_lines(more);
    return;
  }
  nlohmann::ordered_json out;
  out["schema"] = "volt-info/1";
  for (const auto* facts : {&container, &volume.facts, &more}) {
    add_facts(*facts, FactPlace::info, &out);
  }
  fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace volt
