// Running another program as a shell would, and finding Volt's own.
#pragma once

#include <string>
#include <vector>

#include "crypto/base/result.h"

namespace volt {

// Runs `arguments[0]` (a path, or a name searched in PATH) with the others, this program's standard
// streams and terminal, the descriptors that this program was given, and those in `passed`; returns
// its exit status, or 128 + the signal that ended it. Interrupts from the terminal are left to it
// meanwhile. Errors: not_found, permission, no_memory, io.
Result<int> run_program(const std::vector<std::string>& arguments,
                        const std::vector<int>& passed = {});

// The path of `name` in the folder of this program, else in the build tree's other folders
// (../daemon, ../tools), else `name` itself for a search in PATH.
std::string sibling_program(const std::string& name);

// Path of the daemon: $VOLT_VOLTD, else as sibling_program. not_found where the variable names
// none.
Result<std::string> find_voltd();

}  // namespace volt
