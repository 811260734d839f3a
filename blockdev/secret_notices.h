// What a user should know about a password or key file that is taken all the same.
#pragma once

#include <sys/stat.h>

#include <string>

#include "crypto/bytes.h"

namespace volt {

// What makes `password` one that nobody can type at a prompt (a line break, a carriage return, a
// NUL byte, a byte-order mark), as the end of a sentence; empty where there is nothing. Looks at
// every byte alike, and says no more of the password than this.
std::string untypable_text(ByteSpan password);

// Whether a regular file's permissions let its group or everybody read it.
bool others_may_read(const struct stat& info) noexcept;

}  // namespace volt
