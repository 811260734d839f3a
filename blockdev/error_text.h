// Errors as sentences, for the programs' one line "program: what: why".
#pragma once

#include <string>

#include "crypto/result.h"

namespace volt {

// "cannot open for writing: Permission denied (13)", or the code's name where no system call
// failed. Never holds a secret.
std::string error_text(const Error& error);

}  // namespace volt
