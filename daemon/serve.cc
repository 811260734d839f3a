#include "daemon/serve.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <utility>

#include "blockdev/error_text.h"
#include "daemon/fuse_mount.h"
#include "daemon/log.h"
#include "daemon/volume_io.h"
#include "daemon/watchdog.h"
#include "daemon/worker_pool.h"

namespace volt {
namespace {

constexpr auto ending_limit = std::chrono::seconds(10);

// The signals that the daemon acts on, as a descriptor; blocked in this and all later threads.
class WatchedSignals {
 public:
  static Result<WatchedSignals> create() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR2}) sigaddset(&set, number);
    if (::pthread_sigmask(SIG_BLOCK, &set, nullptr) != 0) {
      return error_from_errno("cannot block signals", errno);
    }
    ::signal(SIGPIPE, SIG_IGN);
    const int fd = ::signalfd(-1, &set, SFD_CLOEXEC);
    if (fd < 0) return error_from_errno("cannot watch signals", errno);
    return WatchedSignals(fd);
  }
  WatchedSignals(WatchedSignals&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  WatchedSignals& operator=(WatchedSignals&&) = delete;
  WatchedSignals(const WatchedSignals&) = delete;
  WatchedSignals& operator=(const WatchedSignals&) = delete;
  ~WatchedSignals() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const noexcept { return fd_; }

 private:
  explicit WatchedSignals(int fd) noexcept : fd_(fd) {}
  int fd_;
};

// Returns when a signal asks to end or all threads have ended.
void wait_for_end(const WatchedSignals& signals, const WorkerPool& workers,
                  ServedVolume* volume) noexcept {
  std::array<struct pollfd, 2> watched = {
      {{signals.fd(), POLLIN, 0}, {workers.ended_fd(), POLLIN, 0}}};
  for (;;) {
    const int ready = ::poll(watched.data(), watched.size(), -1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0 || watched[1].revents != 0) return;
    struct signalfd_siginfo info {};
    if (::read(signals.fd(), &info, sizeof info) != sizeof info) return;
    if (info.ssi_signo != SIGUSR2) return;
    volume->accept_writes();
  }
}

// Takes the volume down in an order that loses nothing.
int end_service(FuseMount& mount, WorkerPool& workers, ServedVolume& volume) {
  const std::string container = volume.facts.container;
  const Watchdog watchdog(ending_limit, [&container] {
    log_error(container + ": does not answer: leaving without the last flush");
    ::_exit(exit_wrong_device);
  });
  int status = exit_done;
  if (const Status detached = mount.detach(); !detached) {
    log_error(volume.facts.mount_point + ": " + error_text(detached.error()));
    status = exit_wrong_device;
  }
  workers.stop();
  if (flush_volume(volume) != 0) {
    log_error(container + ": the last flush failed: what was written may be lost");
    status = exit_wrong_device;
  }
  constexpr auto look_limit = std::chrono::seconds(1);
  if (worst_state(volume.watch->look(look_limit)) == FileState::deleted) {
    log_error(container + ": had been deleted or replaced while open: its contents are gone");
    status = exit_wrong_device;
  }
  volume.device.reset();
  return status;
}

int fail(Failure* failure, const Error& error, std::string what, std::string why) {
  *failure = {exit_status_of(error.code), std::move(what), std::move(why)};
  return failure->status;
}

}  // namespace

int serve(const Options& options, std::unique_ptr<ServedVolume> volume, FileDescriptor folder_lock,
          Launch* launch, Failure* failure) {
  auto signals = WatchedSignals::create();
  if (!signals) return fail(failure, signals.error(), "start", error_text(signals.error()));
  auto workers = WorkerPool::create(volume->serving);
  if (!workers) return fail(failure, workers.error(), "start", error_text(workers.error()));

  auto watch = ContainerWatch::start(std::move(volume->files));
  if (!watch) return fail(failure, watch.error(), "start", error_text(watch.error()));
  volume->watch = *std::move(watch);
  volume->writes_held = options.hold_writes;
  FuseContext context;
  context.volume = volume.get();
  std::string why;
  VolumeFacts& facts = volume->facts;
  auto mount = FuseMount::create(&context, workers->first_buffer(), options.allow_other, &why);
  if (!mount) return fail(failure, mount.error(), facts.mount_point, why);
  folder_lock.reset();
  facts.memory_locked = workers->memory_locked();
  facts.at_once = workers->at_once();
  facts.io_engine = workers->engine_name();
  facts.protocol_minor = context.protocol_minor;
  Status started = workers->start(volume.get(), mount->get());
  if (started) {
    if (options.foreground) log_notice(facts.mount_point + "/volume is ready");
    started = launch->ready();
  }
  if (!started) {
    static_cast<void>(end_service(**mount, *workers, *volume));
    return fail(failure, started.error(), "start", error_text(started.error()));
  }
  wait_for_end(*signals, *workers, volume.get());
  const int status = end_service(**mount, *workers, *volume);
  log_notice(facts.mount_point + ": closed");
  return status;
}

}  // namespace volt
