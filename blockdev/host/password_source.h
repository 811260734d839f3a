// Where passwords and key files come from. Nothing here prints a secret or takes one from argv.
#pragma once

#include <string>
#include <vector>

#include "crypto/base/result.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/kdf/keyfile_pool.h"

namespace volt {

inline constexpr std::size_t max_read_password_bytes = 128;  // no format has longer ones

// The user's choice of channel; at most one is set. None: prompt on the terminal.
struct PasswordSource {
  std::string file;            // "-" is standard input; one trailing newline is dropped
  std::string command;         // run by /bin/sh -c; its standard output, one newline dropped
  int fd = -1;                 // everything up to end of file, nothing dropped (volt -> voltd)
  bool empty_allowed = false;  // key files alone may open a volume
};

// Reads at most max_read_password_bytes. Errors, each with a sentence in Error::context:
// invalid_argument (too long, empty, no terminal and no source), not_found, io, permission,
// cancelled. `prompt` is shown on /dev/tty, where echo is off while it
// types and is restored on every way out, signals included.
// `confirm` asks twice and compares. `notices` (may be null) gets what is odd about a password that
// is taken byte for byte all the same: one that nobody can type, a file that others can read.
// A command that does not end after its output has ended, or that prints without end, is killed.
Result<SecureBuffer> read_password(const PasswordSource& source, const char* prompt, bool confirm,
                                   std::vector<std::string>* notices = nullptr);

// Adds the files in the user's order; a directory stands for the regular files in it, dot-files
// skipped (each skip is appended to `notices`, and once that others can read a key file). Errors:
// not_found, permission, invalid_argument (an empty file, a directory without files); `*which`
// names the path.
Result<KeyfilePool> read_keyfiles(const std::vector<std::string>& paths, std::string* which,
                                  std::vector<std::string>* notices);

}  // namespace volt
