// The options that name passwords and key files, for any command.
#pragma once

#include "blockdev/credentials.h"

namespace CLI {
class App;
}

namespace volt {

// Adds every row of credential_option_rows() to `command`; `options` outlives the parsing.
void add_credential_options(CLI::App& command, CredentialOptions* options);

}  // namespace volt
