// A folder for this user's running programs, where nobody else can put anything.
#pragma once

#include <string>

#include "crypto/base/result.h"

namespace volt {

// $XDG_RUNTIME_DIR/volt, for root /run/volt, else volt-UID in the folder for temporary files; made
// where it is missing, with mode 0700. What another user owns, may write to, or has put a link in
// place of is refused. Errors: permission, io, read_only ...
Result<std::string> runtime_folder();

}  // namespace volt
