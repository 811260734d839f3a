#include "tools/credential_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <variant>

#include "blockdev/host/option_values.h"
#include "crypto/kdf_spec.h"

namespace volt {
namespace {

// What seals a header, as opposed to where and how a volume is looked for.
constexpr std::array<std::string_view, 7> secret_rows = {
    "--password-file", "--password-command", "--password-fd", "--keyfile", "--pim", "--prf",
    "--cipher"};
constexpr std::string_view of_searching = "try only this ";  // how the help of a row may begin

void add_row(CLI::App& command, const CredentialOptionRow& row, const std::string& name,
             const std::string& help, const std::string& group, CredentialOptions* options) {
  std::visit(
      [&](auto accessor) {
        auto& value = *accessor(*options);
        using Value = std::remove_reference_t<decltype(value)>;
        CLI::Option* option = nullptr;
        if constexpr (std::is_same_v<Value, bool>) {
          option = command.add_flag(name, value, help);
        } else {
          option = command.add_option(name, value, help);
        }
        // The one number among them is the PIM.
        if constexpr (std::is_same_v<Value, std::uint32_t>) {
          option->transform(whole_number(0, max_pim));
        }
        if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          option->expected(1)->take_all();
        }
        option->group(group);
      },
      row.field);
}

}  // namespace

void add_credential_options(CLI::App& command, CredentialOptions* options, CredentialRole role) {
  for (const CredentialOptionRow& row : credential_option_rows()) {
    const bool opened = role == CredentialRole::opened;
    if (!opened && !row.for_protection) continue;
    add_row(command, row, credential_option_name(row, role), row.help,
            opened ? "Opening" : "Protecting", options);
  }
}

void add_prefixed_credential_options(CLI::App& command, std::string_view prefix, bool with_cipher,
                                     CredentialOptions* options) {
  for (const CredentialOptionRow& row : credential_option_rows()) {
    const std::string_view name = row.name;
    if (name == "--cipher" && !with_cipher) continue;
    if (std::find(secret_rows.begin(), secret_rows.end(), name) == secret_rows.end()) continue;
    std::string help = row.help;
    if (help.starts_with(of_searching)) help = "the " + help.substr(of_searching.size());
    add_row(command, row, "--" + std::string(prefix) + std::string(name.substr(1)), help,
            "The " + std::string(prefix) + " secret", options);
  }
}

}  // namespace volt
