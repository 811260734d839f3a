// Running another program as a shell would, and finding Volt's own.
#pragma once

#include <sys/types.h>

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

// Runs a program with another user's rights, and nothing of this process but its standard streams
// (run_child_as); its exit status, or 128 + the signal that ended it. Errors: no_memory, io.
Result<int> run_as_user(uid_t user, const std::vector<std::string>& arguments);

// The path of `name` in the folder of this program, else in the build tree's other folders
// (../daemon, ../tools), else `name` itself for a search in PATH.
std::string sibling_program(const std::string& name);

// Path of the daemon: $VOLT_VOLTD, else as sibling_program. not_found where the variable names
// none.
Result<std::string> find_voltd();

}  // namespace volt
