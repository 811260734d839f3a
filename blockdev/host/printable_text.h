// Text from outside, made fit for a terminal: names of files and mounts, values of others' files.
#pragma once

#include <string>
#include <string_view>

namespace volt {

// The same text with whatever could move the cursor, change a terminal's state or forge a line
// written as "\x1b": control characters (C0, DEL, C1), line and paragraph separators, characters
// that change the direction of writing, and bytes that are no UTF-8. A backslash stays as it is.
std::string printable(std::string_view text);

}  // namespace volt
