// The options that name passwords and key files, as rows for any command of any program.
#pragma once

#include <string_view>

#include "blockdev/credentials.h"
#include "blockdev/host/command_line.h"

namespace volt {

// Adds every row of credential_option_rows() to `command`, or those for a hidden volume that is to
// be protected; `options` outlives the parsing.
void add_credential_options(Command& command, CredentialOptions* options,
                            CredentialRole role = CredentialRole::opened);

// Adds those rows that a second secret of the same command may have, named with a prefix:
// --new-password-file, --new-keyfile, --new-pim, --new-prf ... for "new". The cipher only
// where that can be chosen.
void add_prefixed_credential_options(Command& command, std::string_view prefix, bool with_cipher,
                                     CredentialOptions* options);

}  // namespace volt
