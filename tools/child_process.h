// Running another program to its end.
#pragma once

#include <string>
#include <vector>

#include "crypto/bytes.h"
#include "crypto/result.h"

namespace volt {

// Runs `arguments[0]` (a path, or a name searched in PATH) with the others; `input` is its standard
// input, kept in memory only. Its standard output goes to our standard error. Returns its exit
// status, or 128 + the signal that ended it. Errors: not_found, permission, no_memory, io.
Result<int> run_child(const std::vector<std::string>& arguments, ByteSpan input);

// The path of `name` in the folder of this program, else in the build tree's other folders
// (../daemon, ../tools), else `name` itself for a search in PATH.
std::string sibling_program(const std::string& name);

}  // namespace volt
