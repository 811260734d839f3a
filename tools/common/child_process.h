// Running another program to its end, and finding Volt's own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "crypto/base/bytes.h"
#include "crypto/base/result.h"

namespace volt {

// Both run `arguments[0]` (a path, or a name searched in PATH) with the others and return its exit
// status, or 128 + the signal that ended it. Errors: not_found, permission, no_memory, io.

// With this program's standard streams and terminal. Interrupts from the terminal are left to the
// child meanwhile.
Result<int> run_program(const std::vector<std::string>& arguments);

// `input` is its standard input, kept in memory only. Its standard output goes to our standard
// error.
Result<int> run_with_input(const std::vector<std::string>& arguments, ByteSpan input);

// As run_program, with another user's rights and nothing of this process but its standard streams.
// For root. Errors: also permission (that user cannot be become).
Result<int> run_as_user(uid_t user, const std::vector<std::string>& arguments);

// Waits for the end of a child, at most `limit` (negative: for ever). Its exit status, or 128 + the
// signal that ended it; nothing where it has not ended in time. Errors: io (no such child).
Result<std::optional<int>> wait_for_child(pid_t child, std::chrono::milliseconds limit);

// The path of `name` in the folder of this program, else in the build tree's other folders
// (../daemon, ../tools), else `name` itself for a search in PATH.
std::string sibling_program(const std::string& name);

// Path of the daemon: $VOLT_VOLTD, else as sibling_program. not_found where the variable names
// none.
Result<std::string> find_voltd();

}  // namespace volt
