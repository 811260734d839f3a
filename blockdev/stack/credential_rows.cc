#include "blockdev/stack/credential_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "blockdev/formats/formats.h"

namespace volt {
namespace {

// What seals a header, as opposed to where and how a volume is looked for.
constexpr std::array<std::string_view, 8> secret_rows = {
    "--password-file", "--password-command", "--password-fd", "--keyfile",
    "--pim",           "--ask-pim",          "--prf",         "--cipher"};
constexpr std::string_view of_searching = "try only this ";  // how the help of a row may begin

// Of any format; which one a volume has is not known yet.
std::uint32_t largest_pim() {
  std::uint32_t largest = 0;
  for (const Format* format : all_formats()) {
    largest = std::max(largest, format->key_kinds().max_pim);
  }
  return largest;
}

// What the formats that there are know by name; nothing where the row is not about names.
std::vector<std::string> known_values(std::string_view row) {
  std::vector<std::string> known;
  const auto take = [&known](std::string name) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      known.push_back(std::move(name));
    }
  };
  for (const Format* format : all_formats()) {
    const OptionNames names = format->option_names();
    if (row == "--format") {
      for (const char* name : format->names()) take(name);
    } else if (row == "--prf") {
      for (const std::string& name : names.prfs) take(name);
    } else if (row == "--cipher") {
      for (const std::string& name : names.ciphers) take(name);
    }
  }
  return known;
}

OptionRow& add_row(Command& command, const CredentialOptionRow& row, std::string name,
                   std::string help, CredentialOptions* options) {
  return std::visit(
      [&](auto accessor) -> OptionRow& {
        OptionRow& added = command.add(std::move(name), accessor(*options), std::move(help));
        added.offers = known_values(row.name);
        if (row.list_in_help) {
          std::string list;
          for (const std::string& known : added.offers) {
            list += (list.empty() ? ": " : ", ") + known;
          }
          added.help += list;
        }
        // The one such number among them is the PIM.
        using Value = std::remove_pointer_t<decltype(accessor(*options))>;
        if constexpr (std::is_same_v<Value, std::uint32_t>) added.between(0, largest_pim());
        return added;
      },
      row.field);
}

}  // namespace

void add_credential_options(Command& command, CredentialOptions* options, CredentialRole role) {
  const bool opened = role == CredentialRole::opened;
  for (const CredentialOptionRow& row : credential_option_rows()) {
    if (!opened && !row.for_protection) continue;
    add_row(command, row, credential_option_name(row, role), row.help, options)
        .under(opened ? "Opening" : "Protecting");
  }
}

void add_prefixed_credential_options(Command& command, std::string_view prefix, bool with_cipher,
                                     CredentialOptions* options) {
  for (const CredentialOptionRow& row : credential_option_rows()) {
    const std::string_view name = row.name;
    if (name == "--cipher" && !with_cipher) continue;
    if (std::find(secret_rows.begin(), secret_rows.end(), name) == secret_rows.end()) continue;
    std::string help = row.help;
    if (help.starts_with(of_searching)) help = "the " + help.substr(of_searching.size());
    add_row(command, row, "--" + std::string(prefix) + std::string(name.substr(1)), help, options)
        .under("The " + std::string(prefix) + " secret");
  }
}

}  // namespace volt
