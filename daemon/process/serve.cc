#include "daemon/process/serve.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>

#include "blockdev/host/error_text.h"
#include "blockdev/host/file_descriptor.h"
#include "blockdev/host/process_signals.h"
#include "daemon/process/front_doors.h"
#include "daemon/process/watchdog.h"
#include "daemon/serve/log.h"
#include "daemon/serve/volume_io.h"
#include "daemon/serve/worker_pool.h"

namespace volt {
namespace {

constexpr std::string_view front_door_name = "fuse";
constexpr auto ending_limit = std::chrono::seconds(10);

bool is_ignored(int number) noexcept {
  struct sigaction now {};
  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

// The signals that the daemon acts on, as a descriptor; blocked in this and all later threads.
class WatchedSignals {
 public:
  static Result<WatchedSignals> create() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGTERM, SIGINT, SIGUSR2, SIGXCPU}) sigaddset(&set, number);
    if (!is_ignored(SIGHUP)) sigaddset(&set, SIGHUP);  // nohup(1) means what it says
    // In the background of a terminal a message must not stop the mount.
    sigset_t blocked = set;
    sigaddset(&blocked, SIGTTOU);
    if (const int error = ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr); error != 0) {
      return error_from_errno("cannot block signals", error);
    }
    FileDescriptor fd(::signalfd(-1, &set, SFD_CLOEXEC));
    if (!fd) return error_from_errno("cannot watch signals", errno);
    return WatchedSignals(std::move(fd), blocked);
  }
  int fd() const noexcept { return fd_.get(); }
  const sigset_t& blocked() const noexcept { return blocked_; }

 private:
  WatchedSignals(FileDescriptor fd, const sigset_t& blocked) noexcept
      : fd_(std::move(fd)), blocked_(blocked) {}
  FileDescriptor fd_;
  sigset_t blocked_;
};

// Returns when a signal asks to end, and which; 0 when all threads have ended, or
// the other end of the pipe `while_fd` has been closed.
int wait_for_end(const WatchedSignals& signals, const WorkerPool& workers, int while_fd,
                 ServedVolume* volume) noexcept {
  std::array<struct pollfd, 3> watched = {
      {{signals.fd(), POLLIN, 0}, {workers.ended_fd(), POLLIN, 0}, {while_fd, 0, 0}}};
  for (;;) {
    const int ready = ::poll(watched.data(), watched.size(), -1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0 || watched[1].revents != 0 || watched[2].revents != 0) return 0;
    struct signalfd_siginfo info {};
    if (::read(signals.fd(), &info, sizeof info) != sizeof info) return 0;
    if (info.ssi_signo != SIGUSR2) return static_cast<int>(info.ssi_signo);
    volume->accept_writes();
  }
}

// Takes the volume down in an order that loses nothing.
int end_service(FrontDoor& door, WorkerPool& workers, ServedVolume& volume) {
  const std::string container = volume.facts.container;
  const Watchdog watchdog(ending_limit, [&container] {
    log_error(container + ": does not answer: leaving without the last flush");
    ::_exit(exit_wrong_device);
  });
  int status = exit_done;
  if (const Status detached = door.close(); !detached) {
    log_error(volume.facts.mount_point + ": " + error_text(detached.error()));
    status = exit_wrong_device;
  }
  workers.stop();
  if (flush_volume(volume) != 0) {
    log_error(container + ": the last flush failed: what was written may be lost");
    status = exit_wrong_device;
  }
  for (const auto& [fd, times] : volume.times_to_keep) {
    if (::futimens(fd, times.data()) != 0) {
      log_error(container + ": its time of modification could not be put back");
      status = exit_wrong_device;
    }
  }
  constexpr auto look_limit = std::chrono::seconds(1);
  if (worst_state(volume.watch->look(look_limit)) == FileState::deleted) {
    log_error(container + ": had been deleted or replaced while open: its contents are gone");
    status = exit_wrong_device;
  }
  volume.device.reset();
  return status;
}

Failure fail(const Error& error, std::string what, std::string why) {
  return {exit_status_of(error.code), std::move(what), std::move(why), {}};
}

// Whoever started this process learns who it is from itself, not from a path that another may have
// replaced meanwhile.
void tell_ready(int fd, std::uint64_t mount_id) {
  if (fd < 0) return;
  const FileDescriptor reader(fd);
  const std::string line = std::to_string(::getpid()) + " " + std::to_string(mount_id) + "\n";
  static_cast<void>(!::write(fd, line.data(), line.size()));  // it may have gone
}

}  // namespace

Outcome<int> serve(const Options& options, std::unique_ptr<ServedVolume> volume, MountPoint folder,
                   Launch* launch) {
  auto signals = WatchedSignals::create();
  if (!signals) return fail(signals.error(), "start", error_text(signals.error()));
  auto workers = WorkerPool::create(volume->serving);
  if (!workers) return fail(workers.error(), "start", error_text(workers.error()));

  auto watch = ContainerWatch::start(std::move(volume->files));
  if (!watch) return fail(watch.error(), "start", error_text(watch.error()));
  volume->watch = *std::move(watch);
  volume->writes_held = options.hold_writes;
  std::string why;
  VolumeFacts& facts = volume->facts;
  auto door = [&] {
    const SignalsLetThrough for_fusermount(signals->blocked());
    return find_front_door(front_door_name)
        ->open({volume.get(), &workers->first_buffer(), options.allow_other, folder.folder.get()},
               &why);
  }();
  if (!door) return fail(door.error(), facts.mount_point, why);
  folder = {};
  facts.memory_locked = workers->memory_locked();
  facts.at_once = workers->at_once();
  facts.io_engine = workers->engine_name();
  Status started = workers->start(volume.get(), door->get());
  if (started) {
    tell_ready(options.ready_fd, facts.mount_id);
    if (options.foreground) log_notice(facts.mount_point + "/volume is ready");
    started = launch->ready();
  }
  if (!started) {
    static_cast<void>(end_service(**door, *workers, *volume));
    return fail(started.error(), "start", error_text(started.error()));
  }
  const bool out_of_time =
      wait_for_end(*signals, *workers, options.while_fd, volume.get()) == SIGXCPU;
  if (out_of_time) {
    log_error(facts.mount_point + ": the limit on processor time is reached (ulimit -t): closing");
  }
  int status = end_service(**door, *workers, *volume);
  if (status == exit_done && out_of_time) status = exit_wrong_device;
  log_notice(facts.mount_point + ": closed");
  return status;
}

}  // namespace volt
