// What the daemon gives up or asks for before it holds secrets.
#pragma once

#include <sys/types.h>

#include <vector>

namespace volt {

// harden_process(), umask 077, and, where permitted, a place below the block layer's memory reclaim
// (PR_SET_IO_FLUSHER). no_new_privs is not set: fusermount3 is set-user-ID. Whatever is not
// permitted is left out; nothing of it is needed to serve. Returns the umask of before.
mode_t harden_daemon() noexcept;

// Closes every descriptor above the standard streams but those in `kept`: what the caller had open
// (a lock, a file of passwords) is no business of a process that lives for weeks.
void close_inherited(std::vector<int> kept) noexcept;

}  // namespace volt
