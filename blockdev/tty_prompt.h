// A question on the terminal whose answer is not shown.
#pragma once

#include "crypto/result.h"
#include "crypto/secure_buffer.h"

namespace volt {

// Shows `prompt` on /dev/tty and reads one line (without its newline) with echo off. Echo is
// restored on every way out: an interrupting signal (INT, TERM, HUP, QUIT, and the stops TSTP,
// TTIN, TTOU) is held back until that is done, then delivered; after a stop the question is asked
// again. Errors: not_found (no terminal), invalid_argument (longer than `max_bytes`), cancelled
// (a signal that the process survives, or end of input), io.
// Thread contract: one prompt at a time in a process.
Result<SecureBuffer> prompt_hidden(const char* prompt, std::size_t max_bytes);

}  // namespace volt
