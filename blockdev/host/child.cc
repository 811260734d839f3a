#include "blockdev/host/child.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <utility>

#include "blockdev/host/child_pipes.h"
#include "blockdev/host/process_signals.h"

extern char** environ;

namespace volt {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds for_ever(-1);
constexpr milliseconds after_term(2000);
constexpr milliseconds look_again(10);  // where there is no descriptor of the child to wait for

// A moment that may never come.
class Deadline {
 public:
  explicit Deadline(milliseconds limit) noexcept {
    if (limit.count() >= 0) end_ = Clock::now() + limit;
  }
  void shorten(milliseconds limit) noexcept {
    if (limit.count() < 0) return;
    end_ = std::min(end_, Clock::now() + limit);
  }
  bool over() const noexcept { return end_ <= Clock::now(); }
  // For poll(2), at most `longest` (negative: no such bound).
  int poll_ms(milliseconds longest = for_ever) const noexcept {
    if (end_ == Clock::time_point::max()) return static_cast<int>(longest.count());
    const auto left = std::chrono::ceil<milliseconds>(end_ - Clock::now()).count();
    const auto most = longest.count() < 0 ? milliseconds::rep{INT_MAX} : longest.count();
    return static_cast<int>(std::clamp<milliseconds::rep>(left, 0, most));
  }

 private:
  Clock::time_point end_ = Clock::time_point::max();
};

class FileActions {
 public:
  FileActions() noexcept : error_(::posix_spawn_file_actions_init(&actions_)) {
    made_ = error_ == 0;
  }
  ~FileActions() {
    if (made_) ::posix_spawn_file_actions_destroy(&actions_);
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void duplicate(int from, int to) noexcept {
    if (error_ == 0) error_ = ::posix_spawn_file_actions_adddup2(&actions_, from, to);
  }
  void open_nothing(int fd) noexcept {
    if (error_ != 0) return;
    error_ = ::posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0);
  }
  void close_from(int first) noexcept {
    if (error_ == 0) error_ = ::posix_spawn_file_actions_addclosefrom_np(&actions_, first);
  }
  void connect(ChildOutput output, int captured, int stream) noexcept {
    if (output == ChildOutput::captured) duplicate(captured, stream);
    if (output == ChildOutput::our_errors) duplicate(STDERR_FILENO, stream);
    if (output == ChildOutput::nothing) open_nothing(stream);
  }
  int error() const noexcept { return error_; }
  const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
  int error_;
  bool made_;
};

// Ignores the terminal's interrupts for its lifetime; the child gets the old dispositions back.
class InterruptGuard {
 public:
  explicit InterruptGuard(bool wanted) noexcept : wanted_(wanted) {
    if (!wanted_) return;
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &old_interrupt_);
    ::sigaction(SIGQUIT, &ignore, &old_quit_);
  }
  ~InterruptGuard() {
    if (!wanted_) return;
    ::sigaction(SIGINT, &old_interrupt_, nullptr);
    ::sigaction(SIGQUIT, &old_quit_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // Signals that the child resets to their defaults: those that this process did not ignore.
  sigset_t to_reset() const noexcept {
    sigset_t set;
    sigemptyset(&set);
    if (wanted_ && old_interrupt_.sa_handler != SIG_IGN) sigaddset(&set, SIGINT);
    if (wanted_ && old_quit_.sa_handler != SIG_IGN) sigaddset(&set, SIGQUIT);
    return set;
  }

 private:
  bool wanted_;
  struct sigaction old_interrupt_ {};
  struct sigaction old_quit_ {};
};

// posix_spawn(3) does not write to them.
std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

Result<Child> spawn(const ChildRequest& request, int input, int output, int errors,
                    const sigset_t& to_reset) {
  FileActions actions;
  if (request.input) actions.duplicate(input, STDIN_FILENO);
  actions.connect(request.output, output, STDOUT_FILENO);
  actions.connect(request.errors, errors, STDERR_FILENO);
  if (request.files == ChildFiles::none) actions.close_from(STDERR_FILENO + 1);
  for (const int fd : request.passed) actions.duplicate(fd, fd);  // drops close-on-exec
  if (actions.error() != 0) return error_from_errno("starting the program", actions.error());
  SpawnAttributes attributes;
  attributes.reset(to_reset);
  if (request.group == Child::Group::own) attributes.lead_group();
  const std::vector<char*> argv = pointers(request.argv);
  std::vector<char*> own;
  if (request.environment) own = pointers(*request.environment);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv[0], actions.get(), attributes.get(), argv.data(),
                                   request.environment ? own.data() : environ);
  if (error != 0) return error_from_errno("starting the program", error);
  return Child(pid, request.group);
}

// Reads what the child writes until it has ended, or has to be.
ChildStop follow(const Child& child, const ChildRequest& request, Capture* output,
                 Capture* errors) noexcept {
  Deadline deadline(request.limit);
  bool writes = output->fd() >= 0 || errors->fd() >= 0;
  for (;;) {
    std::array<pollfd, 3> watched = {
        {{child.descriptor(), POLLIN, 0}, {output->fd(), POLLIN, 0}, {errors->fd(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(),
           deadline.poll_ms(child.descriptor() < 0 ? look_again : for_ever));
    const bool ended = child.ends_within(milliseconds(0));  // before reading: all is there then
    output->drain();
    errors->drain();
    if (output->over_limit()) return ChildStop::too_much;
    if (ended) return ChildStop::none;
    if (deadline.over()) return ChildStop::too_slow;
    if (writes && output->fd() < 0 && errors->fd() < 0) {
      writes = false;
      deadline.shorten(request.patience);
    }
  }
}

// A child that is left behind must not keep a pipe open that this program's reader waits on, nor a
// lock.
void let_go_of_descriptors(int kept) noexcept {
  const auto first = static_cast<unsigned>(STDERR_FILENO + 1);
  const auto keep = static_cast<unsigned>(kept);
  if (keep > first) ::syscall(SYS_close_range, first, keep - 1, 0U);
  ::syscall(SYS_close_range, keep + 1, UINT_MAX, 0U);
  const FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (null) ::dup2(null.get(), stream);
  }
}

bool send_all(int fd, const void* data, std::size_t size) noexcept {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = ::write(fd, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

int answer_call(int fd, const std::function<CallOutcome()>& call) noexcept {
  let_go_of_descriptors(fd);
  try {
    const CallOutcome outcome = call();
    send_all(fd, &outcome.sys_errno, sizeof outcome.sys_errno);
    send_all(fd, outcome.text.data(), std::min(outcome.text.size(), max_outcome_bytes));
  } catch (...) {  // the parent sees that nothing came
  }
  return 0;
}

// Everything the child sends until it closes its end; false when time is up.
bool collect(int fd, milliseconds limit, std::string* out) {
  const Deadline deadline(limit);
  std::array<char, 65536> buffer{};
  for (;;) {
    struct pollfd watched = {fd, POLLIN, 0};
    const int ready = ::poll(&watched, 1, deadline.poll_ms());
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count == 0) return true;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    out->append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

Child::Child(pid_t pid, Group group) noexcept
    : pid_(pid), group_(group), process_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U))) {}

bool Child::ends_within(milliseconds limit) const noexcept {
  const Deadline deadline(limit);
  for (;;) {
    siginfo_t info{};  // WNOWAIT: it is still there for reap()
    const int told = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (told == 0 && info.si_pid == pid_) return true;
    if (told != 0 && errno != EINTR) return true;  // reap() tells why
    if (deadline.over()) return false;
    struct pollfd ready = {process_.get(), POLLIN, 0};
    ::poll(&ready, 1, deadline.poll_ms(process_ ? for_ever : look_again));
  }
}

Result<std::optional<ChildEnd>> Child::wait(milliseconds limit) {
  if (!ends_within(limit)) return std::optional<ChildEnd>();
  const auto end = reap();
  if (!end) return end.error();
  return std::optional(*end);
}

Result<ChildEnd> Child::stop() {
  send(SIGTERM);
  ends_within(after_term);
  send(SIGKILL);  // also where it has ended: to its group
  return reap();
}

void Child::abandon() noexcept {
  send(SIGKILL);
  ::waitpid(pid_, nullptr, WNOHANG);
}

void Child::send(int number) const noexcept {
  ::kill(group_ == Group::own ? -pid_ : pid_, number);
}

Result<ChildEnd> Child::reap() const {
  int state = 0;
  while (::waitpid(pid_, &state, 0) < 0) {
    if (errno != EINTR) return error_from_errno("waiting for the program", errno);
  }
  if (WIFEXITED(state)) return ChildEnd{WEXITSTATUS(state), 0};
  return ChildEnd{0, WTERMSIG(state)};
}

Result<ChildOutcome> run_child(const ChildRequest& request) {
  FileDescriptor input;
  FileDescriptor output_end;
  FileDescriptor errors_end;
  Capture output;
  Capture errors;
  if (request.input) VOLT_TRY(make_child_input(*request.input, &input));
  if (request.output == ChildOutput::captured) {
    VOLT_TRY(output.open(request.output_limit, &output_end));
  }
  if (request.errors == ChildOutput::captured) {
    VOLT_TRY(errors.open(request.errors_limit, &errors_end));
  }
  const InterruptGuard guard(request.owns_interrupts);
  auto child = spawn(request, input.get(), output_end.get(), errors_end.get(), guard.to_reset());
  if (!child) return child.error();
  for (FileDescriptor* end : {&input, &output_end, &errors_end}) end->reset();

  ChildOutcome outcome;
  outcome.stopped = follow(*child, request, &output, &errors);
  if (outcome.stopped == ChildStop::none) {
    const auto ended = child->wait(for_ever);
    if (!ended) return ended.error();
    outcome.end = **ended;
  } else {
    const auto ended = child->stop();
    if (!ended) return ended.error();
    outcome.end = *ended;
  }
  outcome.output = output.take();
  const SecureBuffer said = errors.take();
  outcome.errors.assign(reinterpret_cast<const char*>(said.data()), said.size());
  return outcome;
}

Result<Child> fork_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid < 0) return error_from_errno("cannot fork", errno);
  if (pid == 0) ::_exit(body());
  return Child(pid);
}

Result<ChildEnd> run_child_as(uid_t user, gid_t group, const std::vector<std::string>& argv) {
  std::string path = "PATH=/usr/local/bin:/usr/bin:/bin";
  std::array<char*, 2> environment = {path.data(), nullptr};
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  auto child = fork_child([&] {
    constexpr int cannot_become = 126;
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    const bool became = ::setgroups(0, nullptr) == 0 && ::setresgid(group, group, group) == 0 &&
                        ::setresuid(user, user, user) == 0;
    if (became) ::execve(words[0], words.data(), environment.data());
    return cannot_become;
  });
  if (!child) return child.error();
  const auto end = child->wait(for_ever);
  if (!end) return end.error();
  return **end;
}

Result<CallOutcome> run_bounded(milliseconds limit, const std::function<CallOutcome()>& call) {
  FileDescriptor reading;
  FileDescriptor writing;
  VOLT_TRY(make_child_pipe(&reading, &writing));
  auto child = fork_child([&] { return answer_call(writing.get(), call); });
  if (!child) return child.error();
  writing.reset();
  std::string bytes;
  if (!collect(reading.get(), limit, &bytes)) {
    child->abandon();
    return Error{ErrorCode::io, ETIMEDOUT, "", 0};
  }
  static_cast<void>(child->wait(for_ever));
  CallOutcome outcome;
  if (bytes.size() < sizeof outcome.sys_errno) return Error{ErrorCode::no_memory, 0, "", 0};
  std::memcpy(&outcome.sys_errno, bytes.data(), sizeof outcome.sys_errno);
  outcome.text = bytes.substr(sizeof outcome.sys_errno);
  return outcome;
}

}  // namespace volt
