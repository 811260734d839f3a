// The terminal's state while echo is kept off between prompts: what prompt_hidden() and
// QuietTerminal share.
#pragma once

#include <termios.h>

namespace volt {

// Whether a QuietTerminal lives.
bool terminal_is_kept_quiet() noexcept;

// Takes over a terminal whose echo is off: `before` is put back by release_quiet_terminal() or by a
// signal. False where it cannot, and the caller must put it back. One at a time.
bool hold_quiet_terminal(int terminal_fd, const termios& before) noexcept;

// Throws away what was typed and puts the terminal back. Nothing where none is held.
void release_quiet_terminal() noexcept;

}  // namespace volt
