// What every program that holds secrets does against the other processes of the same user.
#pragma once

namespace volt {

// No core files, no tracing, no reading of /proc/PID/mem and the like by others of the same user;
// memory may be locked up to the hard limit. Called first of all, before any secret is read.
// (proc(5), PR_SET_DUMPABLE; a process under the address sanitizer stays open to its leak checker.)
void harden_process() noexcept;

// Overwrites the arguments behind the program's name, which every user can read in
// /proc/PID/cmdline, once they have been parsed: PIM, PRF and the container's name are nobody's
// business for as long as a daemon lives. Pointers into `argv` see empty texts.
void hide_arguments(int argc, char** argv) noexcept;

}  // namespace volt
