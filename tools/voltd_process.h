// Starting voltd.
#pragma once

#include <string>
#include <vector>

#include "crypto/result.h"

namespace volt {

// Path of the daemon: $VOLT_VOLTD, else `voltd` beside this program, else the build tree's
// (../daemon/voltd), else the one in PATH. not_found where there is none.
Result<std::string> find_voltd();

// Runs `path arguments...` with this program's standard streams and terminal and waits until it
// exits, which the daemon's parent process does when the volume is ready or has failed. Interrupts
// from the terminal are left to the child meanwhile. Returns its exit status (128 + signal where
// one ended it). Errors: not_found, permission, no_memory, io.
Result<int> run_voltd(const std::string& path, const std::vector<std::string>& arguments);

}  // namespace volt
