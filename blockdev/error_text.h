// Errors as sentences, for the programs' one line "program: what: why".
#pragma once

#include <string>

#include "blockdev/volume_unlock.h"
#include "crypto/result.h"

namespace volt {

// "cannot open for writing: Permission denied (13)", or the code's name where no system call
// failed. Never holds a secret.
std::string error_text(const Error& error);

// Why a volume did not open, and what was tried, on one line.
std::string unlock_error_text(const Error& error, const UnlockReport& report);

}  // namespace volt
