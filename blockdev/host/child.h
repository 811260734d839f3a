// Other processes that this one starts and waits for. The only place that does.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "blockdev/host/file_descriptor.h"
#include "crypto/base/bytes.h"
#include "crypto/base/result.h"
#include "crypto/base/secure_buffer.h"

namespace volt {

// How a process ended.
struct ChildEnd {
  int status = 0;  // exit status, where no signal ended it
  int signal = 0;  // that ended it, or 0

  bool ok() const noexcept { return signal == 0 && status == 0; }
  // As a shell counts: 128 and the signal's number.
  int shell_status() const noexcept { return signal != 0 ? 128 + signal : status; }
};

// A process that was started and is to be waited for, once. The destructor does neither that nor
// end it. Move-only. Thread contract: one thread at a time.
class Child {
 public:
  enum class Group : std::uint8_t { ours, own };  // own: it leads one, which is ended with it

  explicit Child(pid_t pid, Group group = Group::ours) noexcept;

  pid_t pid() const noexcept { return pid_; }
  // Readable (poll) when it has ended; -1 on kernels before 5.3 and under some filters.
  int descriptor() const noexcept { return process_.get(); }
  // Whether it ends within that time (negative: for ever).
  bool ends_within(std::chrono::milliseconds limit) const noexcept;
  // Waits for its end, at most `limit` (negative: for ever); nothing where it has not ended by
  // then. Errors: io (no such child).
  Result<std::optional<ChildEnd>> wait(std::chrono::milliseconds limit);
  // SIGTERM, two seconds later SIGKILL, to it and its own group. Errors: io (no such child).
  Result<ChildEnd> stop();
  // SIGKILL, and no waiting: what hangs in the kernel may never end.
  void abandon() noexcept;

 private:
  void send(int number) const noexcept;
  Result<ChildEnd> reap() const;

  pid_t pid_;
  Group group_;
  FileDescriptor process_;
};

// Where a child's standard output or standard error goes.
enum class ChildOutput : std::uint8_t { ours, our_errors, nothing, captured };

// Which other descriptors it has.
enum class ChildFiles : std::uint8_t {
  inherited,  // those without close-on-exec, which are our caller's (/dev/fd/63), never ours
  none,
};

struct ChildRequest {
  std::vector<std::string> argv;  // argv[0]: a path, or a name searched in PATH
  std::optional<std::vector<std::string>> environment;  // "NAME=value"; none: this process'
  // Its standard input, at most 65536 bytes, which stay in the kernel's memory; none: ours.
  std::optional<ByteSpan> input;
  ChildOutput output = ChildOutput::ours;
  std::size_t output_limit = 0;  // of captured bytes; one that writes more is stopped
  ChildOutput errors = ChildOutput::ours;
  std::size_t errors_limit = 1024;  // of captured bytes; the rest is read and dropped
  ChildFiles files = ChildFiles::none;
  std::vector<int> passed;  // with `inherited`: these of ours, too, under their numbers
  // A group of its own ends as a whole, but can not read from the terminal.
  Child::Group group = Child::Group::ours;
  // Interrupts from the terminal are left to the child meanwhile.
  bool owns_interrupts = false;
  std::chrono::milliseconds limit{-1};     // on the whole; negative: none
  std::chrono::milliseconds patience{-1};  // once what is captured has ended; negative: none
};

// Why it was ended by us: `limit` or `patience`; `output_limit`.
enum class ChildStop : std::uint8_t { none, too_slow, too_much };

struct ChildOutcome {
  ChildEnd end;
  ChildStop stopped = ChildStop::none;
  SecureBuffer output;  // what was captured: it may be a secret
  std::string errors;
};

// Runs a program to its end, with no signal blocked and the dispositions that it would have without
// us. What a process that it leaves behind writes later is not waited for.
// Errors: not_found, permission, no_memory, io: it could not be started, or waited for;
// invalid_argument (too much input).
Result<ChildOutcome> run_child(const ChildRequest& request);

// Runs a program to its end with another user's rights, of whom it has the user and the group and
// no other groups, PATH alone as environment, our standard streams and no other descriptor. For
// root. `argv[0]` is a path. Where that user cannot be become, or cannot run it, it ends with
// status 126. Errors: no_memory, io.
Result<ChildEnd> run_child_as(uid_t user, gid_t group, const std::vector<std::string>& argv);

// Forks without exec(2): the child ends with what `body` returns, without destructors and without
// flushing what is buffered. Call it while there is one thread. Errors: no_memory, io.
Result<Child> fork_child(const std::function<int()>& body);

// What a bounded call gives: an errno (0: done) and text.
struct CallOutcome {
  int sys_errno = 0;
  std::string text;
};

inline constexpr std::size_t max_outcome_bytes = 1048576;  // of text; the rest is dropped

// For calls that a stuck file system must not turn into a hang: runs `call` in a forked child, at
// most `limit`. A child that is still stuck then is killed and left behind: a process that waits
// for a file system that does not answer cannot always be ended, but this one goes on. The child
// has none of this process' descriptors and streams, so that what is left behind holds nothing.
// Errors: io with errno ETIMEDOUT; no_memory (no process, or it died).
Result<CallOutcome> run_bounded(std::chrono::milliseconds limit,
                                const std::function<CallOutcome()>& call);

}  // namespace volt
