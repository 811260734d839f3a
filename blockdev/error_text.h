// Errors as sentences, for the programs' one line "program: what: why".
#pragma once

#include <string>

#include "blockdev/volume_unlock.h"
#include "crypto/result.h"

namespace volt {

// "cannot open for writing: Permission denied (13)", or the code's name where no system call
// failed. "{}" in Error::context becomes its detail, "{signal}" the name of the signal that the
// detail is. Never holds a secret.
std::string error_text(const Error& error);

// Its context alone, with the number that belongs in it.
std::string context_text(const Error& error);

// Why a volume did not open, and what was tried, on one line.
std::string unlock_error_text(const Error& error, const UnlockReport& report);

}  // namespace volt
