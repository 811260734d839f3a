// Completions for shells, made from the rows of a program's command line, so that they never lag
// behind it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blockdev/host/command_line.h"

namespace volt {

// The shells that completions are made for, as `--completion` names them.
const std::vector<std::string>& completion_shells();

// The script that teaches `shell` the program's commands, options and fixed values; everything else
// completes to files. Nothing for a shell that is not among completion_shells(). Rows that help
// does not show are left out. Thread contract: any thread, each on a command of its own.
std::optional<std::string> completion_script(const Command& program, std::string_view shell);

}  // namespace volt
