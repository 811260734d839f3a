// Errors as sentences, for the programs' one line "program: what: why".
#pragma once

#include <string>

#include "crypto/result.h"

namespace volt {

// "cannot open for writing: Permission denied (13)", or the code's name where no system call
// failed. "{}" in Error::context becomes its detail, "{signal}" the name of the signal that the
// detail is. Never holds a secret.
std::string error_text(const Error& error);

// Its context alone, with the number that belongs in it.
std::string context_text(const Error& error);

}  // namespace volt
