#include "tools/credential_options.h"

#include <CLI/CLI.hpp>
#include <type_traits>
#include <variant>

namespace volt {

void add_credential_options(CLI::App& command, CredentialOptions* options) {
  for (const CredentialOptionRow& row : credential_option_rows()) {
    std::visit(
        [&](auto accessor) {
          auto& value = *accessor(*options);
          using Value = std::remove_reference_t<decltype(value)>;
          CLI::Option* option = nullptr;
          if constexpr (std::is_same_v<Value, bool>) {
            option = command.add_flag(row.name, value, row.help);
          } else {
            option = command.add_option(row.name, value, row.help);
          }
          if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            option->expected(1)->take_all();
          }
          option->group("Opening");
        },
        row.field);
  }
}

}  // namespace volt
