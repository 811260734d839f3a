// What signals mean to a program that does input and output, decided once for all three of them.
#pragma once

#include <signal.h>
#include <spawn.h>

namespace volt {

// The first call of main(), before any thread and any file is there.
//
// What the system sends instead of, or beside, an error that the failing call returns as well:
//   SIGXFSZ, SIGPIPE  the call's error (EFBIG, EPIPE) says it all: nothing else happens
//   SIGCHLD           by default, also where the caller ignores it: children are waited for
// What asks a program to end is left to it (tools/common/interrupt.h, daemon/process/serve.cc):
// SIGINT, SIGTERM, SIGHUP, and SIGXCPU, which comes a while before the limit on processor time
// kills. What stops a job (SIGTSTP, SIGTTIN, SIGTTOU) stops it, except where that would stop a
// mount, too. SIGBUS has no answer in general, since what was mapped is not there: files of others
// are therefore never mapped to be read, and our own have their room before they are
// (tools/voltest/verify/verify_journal.h). SIGIO and SIGURG come only to who asks for them, and
// nobody does; Linux has no SIGLOST. Timers that survived exec(2), as of `timeout`-like scripts,
// mean what they say.
//
// Signals that the caller had blocked are let through. Standard streams that are closed are
// opened so that using them fails: else the next file, a container, would get their numbers and the
// messages.
void prepare_process() noexcept;

// How children are to be started with posix_spawn(3): nothing blocked, and default dispositions for
// all that this process has changed; what the caller ignores (nohup(1)) stays ignored.
class SpawnAttributes {
 public:
  SpawnAttributes() noexcept;
  ~SpawnAttributes();
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  // These, too, although this process ignores them at the moment.
  void reset(const sigset_t& to_default) noexcept;
  // They lead a process group of their own.
  void lead_group() noexcept;
  const posix_spawnattr_t* get() const noexcept { return usable_ ? &attributes_ : nullptr; }

 private:
  posix_spawnattr_t attributes_{};
  short flags_ = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  bool usable_ = false;  // false: out of memory
};

// For children that a library starts: lets the signals in `blocked` through while it lives, as
// nothing but a note. Those that came are pending again afterwards, when they are blocked again, so
// that none is lost. Blocked or not is a matter of the calling thread, dispositions are not: no
// other thread may change them meanwhile. One at a time.
class SignalsLetThrough {
 public:
  explicit SignalsLetThrough(const sigset_t& blocked) noexcept;
  ~SignalsLetThrough();
  SignalsLetThrough(const SignalsLetThrough&) = delete;
  SignalsLetThrough& operator=(const SignalsLetThrough&) = delete;

 private:
  static constexpr int signals = 32;  // the real-time ones are nobody's
  sigset_t mask_{};
  struct sigaction before_[signals] = {};
  bool changed_[signals] = {};
};

}  // namespace volt
