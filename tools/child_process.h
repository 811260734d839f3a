// Running another program to its end, and finding Volt's own.
#pragma once

#include <string>
#include <vector>

#include "crypto/bytes.h"
#include "crypto/result.h"

namespace volt {

// Both run `arguments[0]` (a path, or a name searched in PATH) with the others and return its exit
// status, or 128 + the signal that ended it. Errors: not_found, permission, no_memory, io.

// With this program's standard streams and terminal. Interrupts from the terminal are left to the
// child meanwhile.
Result<int> run_program(const std::vector<std::string>& arguments);

// `input` is its standard input, kept in memory only. Its standard output goes to our standard
// error.
Result<int> run_with_input(const std::vector<std::string>& arguments, ByteSpan input);

// The path of `name` in the folder of this program, else in the build tree's other folders
// (../daemon, ../tools), else `name` itself for a search in PATH.
std::string sibling_program(const std::string& name);

// Path of the daemon: $VOLT_VOLTD, else as sibling_program. not_found where the variable names
// none.
Result<std::string> find_voltd();

}  // namespace volt
