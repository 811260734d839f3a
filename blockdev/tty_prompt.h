// A question on the terminal whose answer is not shown.
#pragma once

#include "crypto/result.h"
#include "crypto/secure_buffer.h"

namespace volt {

// Shows `prompt` on /dev/tty and reads one line (without its newline) with echo off. Echo is
// restored on every way out, unless a QuietTerminal lives: an interrupting signal (INT, TERM, HUP,
// QUIT, and the stops TSTP, TTIN, TTOU) is held back until that is done, then delivered; after a
// stop the question is asked again. Errors: invalid_argument (no terminal; longer than `max_bytes`;
// end of input), cancelled (a signal that the process survives), io.
// Thread contract: one prompt at a time in a process.
Result<SecureBuffer> prompt_hidden(const char* prompt, std::size_t max_bytes);

// While one lives, echo stays off from a prompt on: whoever retypes a password during the wait
// for a derivation must neither show it nor leave it to the shell. When the last one goes, what was
// typed meanwhile is thrown away and the terminal is as before. The same happens when INT, TERM,
// HUP, QUIT or TSTP is about to end or stop the process, and echo goes off again when it continues
// in the foreground. Signals that the process handles itself are handed on. Handlers that are
// installed after a prompt miss this: install them before.
// Thread contract: made and destroyed on the thread that prompts.
class QuietTerminal {
 public:
  QuietTerminal() noexcept;
  ~QuietTerminal();
  QuietTerminal(const QuietTerminal&) = delete;
  QuietTerminal& operator=(const QuietTerminal&) = delete;

  // For a question whose answer is shown: echo is on again until the next hidden prompt.
  static void show_typing() noexcept;
};

}  // namespace volt
