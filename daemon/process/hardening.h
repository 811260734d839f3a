// What the process gives up or asks for before it holds secrets.
#pragma once

#include <sys/types.h>

namespace volt {

// umask 077, no core dumps, no ptrace by others, soft memory-lock limit raised to the hard one,
// and, where permitted, a place below the block layer's memory reclaim (PR_SET_IO_FLUSHER).
// no_new_privs is not set: fusermount3 is set-user-ID. Whatever is not permitted is left out;
// nothing of it is needed to serve. Returns the umask of before.
mode_t harden_process() noexcept;

}  // namespace volt
