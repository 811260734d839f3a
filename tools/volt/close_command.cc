// volt close DIR: flushes, detaches loop devices, unmounts, and returns when voltd has gone.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "blockdev/host/child.h"
#include "blockdev/host/command_line.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/exit_status.h"
#include "blockdev/host/file_descriptor.h"
#include "blockdev/stack/container_spec.h"
#include "tools/common/child_process.h"
#include "tools/common/loop_attach.h"
#include "tools/common/loop_detach.h"
#include "tools/common/open_volumes.h"
#include "tools/common/process_watch.h"
#include "tools/common/report.h"
#include "tools/common/save_container.h"
#include "tools/volt/commands.h"

namespace volt {
namespace {

struct CloseOptions {
  std::string folder;
  bool all = false;
  bool all_users = false;
  bool force = false;
  std::string save_as;  // copy the container into this new file first
  unsigned timeout_s = 30;

  std::chrono::milliseconds limit() const { return std::chrono::seconds(timeout_s); }
};

int fail(const OpenVolume& volume, const std::string& why, ExitStatus status) {
  return report_failure(volume.mount.mount_point, why, status);
}

CallOutcome sync_volume(const MountEntry& mount) {
  const auto fd = open_in_mount(mount, "volume", O_RDONLY);
  if (!fd) return {fd.error().sys_errno, {}};
  return {::fsync(fd->get()) == 0 ? 0 : errno, {}};
}

LoopDetachment detachment(const std::string& device, const std::string& file,
                          const CloseOptions& options) {
  LoopDetachment request;
  request.device = device;
  request.file = file;
  request.unwritten = options.force ? Unwritten::is_dropped : Unwritten::is_an_error;
  request.answer_limit = options.limit();
  request.release_limit = std::min(options.limit(), request.release_limit);
  return request;
}

int report_loop(const std::string& what, const LoopDetachment& request,
                const DetachOutcome& outcome) {
  switch (outcome.result) {
    case DetachResult::detached:
      return exit_done;
    case DetachResult::in_use:
      return report_failure(what, request.device + " " + outcome.text, exit_in_use);
    case DetachResult::no_answer:
      return report_failure(what, request.device + ": the container does not answer (still open)",
                            exit_wrong_device);
    case DetachResult::failed:
      break;
  }
  // --force drops what cannot be written back, and helps against nothing else.
  const ErrorCode code = outcome.error.code;
  const bool dropping_helps = code == ErrorCode::io || code == ErrorCode::no_space;
  const bool advise = dropping_helps && request.unwritten == Unwritten::is_an_error;
  const char* advice = advise ? " (still open; --force closes it all the same)" : "";
  return report_failure(what, request.device + ": " + outcome.text + advice, exit_status_of(code));
}

// A file system that is mounted from a loop device on the volume keeps the volume open. What a dead
// daemon's loop device still holds is lost already. Where nothing answers the mount stays, so that
// the device can be detached later.
int detach_loops(const OpenVolume& volume, const CloseOptions& options) {
  for (const std::string& device : volume.loop_devices) {
    LoopDetachment request = detachment(device, volume.volume_path(), options);
    if (volume.state == VolumeState::dead) request.unwritten = Unwritten::is_dropped;
    const int status = report_loop(volume.mount.mount_point, request, detach_loop(request));
    if (status != exit_done) return status;
  }
  return exit_done;
}

// A loop device whose mount has gone. As a rule its daemon has too, and what it holds is lost; but
// a mount that was taken away under the loop device lives on, and its daemon still writes.
int detach_left(const LeftLoop& loop, const CloseOptions& options) {
  LoopDetachment request = detachment(loop.device, left_loop_file, options);
  request.unwritten = Unwritten::is_an_error;
  DetachOutcome outcome = detach_loop(request);
  const bool lost = outcome.result == DetachResult::failed && outcome.error.code == ErrorCode::io;
  if (lost) {
    request.unwritten = Unwritten::is_dropped;
    outcome = detach_loop(request);
  }
  const std::string what = loop.mount_point();
  if (outcome.result == DetachResult::detached) {
    report_notice(what + ": detached " + loop.device + ", left behind by a volume that has ended" +
                  (lost ? "; what it had not written is lost" : ""));
  }
  return report_loop(what, request, outcome);
}

// All that were left behind by volumes on that file, or by any: `found` counts them.
int detach_left_loops(const std::optional<std::string>& file, const CloseOptions& options,
                      std::size_t* found) {
  int exit_status = exit_done;
  for (const LeftLoop& loop : left_loops()) {
    if (file && !left_loop_is_on(loop, *file)) continue;
    ++*found;
    const int status = detach_left(loop, options);
    if (exit_status == exit_done) exit_status = status;
  }
  return exit_status;
}

enum class Flushed { yes, failed, no_answer };

// Without --force nothing is given up: the volume goes on where the container answers again.
int report_no_answer(const OpenVolume& volume, const CloseOptions& options) {
  const char* consequence = options.force
                                ? ": closing without it; what it had not written may be lost"
                                : " (still open; --force closes it all the same)";
  return fail(volume, std::string("the container does not answer") + consequence,
              exit_wrong_device);
}

Flushed flush(const OpenVolume& volume, const CloseOptions& options, int* exit_status) {
  const auto outcome =
      run_bounded(options.limit(), [&volume] { return sync_volume(volume.mount); });
  if (!outcome) {
    *exit_status = report_no_answer(volume, options);
    return Flushed::no_answer;
  }
  if (outcome->sys_errno == 0) return Flushed::yes;
  const Error error =
      error_from_errno("what was written did not reach the container", outcome->sys_errno);
  const char* advice = options.force ? "" : " (still open; --force closes it all the same)";
  *exit_status = fail(volume, error_text(error) + advice, exit_wrong_device);
  return Flushed::failed;
}

int report_busy(const OpenVolume& volume) {
  const std::string users = processes_using(volume.mount.mount_point);
  return fail(volume, "in use" + (users.empty() ? "" : " by " + users), exit_in_use);
}

uid_t owner_of(const OpenVolume& volume) {
  return volume.mount.user_id.value_or(::geteuid());
}

// Another `volt list`, an indexer or a backup may look into the folder at just this moment.
constexpr auto passing_use = std::chrono::milliseconds(1500);
constexpr auto next_try = std::chrono::milliseconds(20);

// The part that changes the mount table; a stuck container must not stop it.
int take_away(const OpenVolume& volume, bool lazy) {
  const auto end = std::chrono::steady_clock::now() + passing_use;
  Status status = unmount(volume.mount, lazy);
  while (!status && status.error().code == ErrorCode::busy &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(next_try);
    status = unmount(volume.mount, lazy);
  }
  if (status) return exit_done;
  if (status.error().code == ErrorCode::busy) return report_busy(volume);
  return fail(volume, error_text(status.error()), exit_status_of(status.error().code));
}

std::optional<DaemonWatch> watch_daemon(const OpenVolume& volume) {
  auto watch = DaemonWatch::create(volume.daemon(), owner_of(volume));
  return watch ? std::optional(std::move(*watch)) : std::nullopt;
}

constexpr const char* ways_out =
    " (still open; --save-as FILE keeps its bytes, --force gives them up)";

// Whether closing would lose the container; to root, who sees less of another user's volume, at
// least that its name has gone.
int refuse_to_lose(const OpenVolume& volume, const CloseOptions& options) {
  if (options.force || !options.save_as.empty()) return exit_done;
  if (volume.state == VolumeState::no_access) {
    struct stat info {};
    const std::string& path = volume.mount.source;
    if (!path.starts_with("/") || ::lstat(path.c_str(), &info) == 0 || errno != ENOENT) {
      return exit_done;
    }
    return fail(volume,
                path + " is not there any more (still open; only the user who opened it" +
                    " can save it; --force closes it all the same)",
                exit_wrong_device);
  }
  if (!container_deleted(volume)) return exit_done;
  return fail(volume, container_notice(volume) + ways_out, exit_wrong_device);
}

void accept_writes(const OpenVolume& volume) {
  if (const auto daemon = watch_daemon(volume)) static_cast<void>(daemon->send(SIGUSR2));
}

// Behind the flush: looks once more, and copies where that is asked for.
int keep_container(const OpenVolume& volume, const CloseOptions& options) {
  const auto now = find_open_volume(volume.mount.mount_point);
  if (!now || now->state != VolumeState::open) {
    if (options.save_as.empty()) return exit_done;
    return fail(volume, "--save-as: the daemon does not answer (still open)", exit_wrong_device);
  }
  if (const int status = refuse_to_lose(*now, options); status != exit_done) return status;
  const std::string notice = container_notice(*now);
  if (!notice.empty()) report_notice(volume.mount.mount_point + ": " + notice);
  if (options.save_as.empty()) {
    return container_deleted(*now)
               ? report_failure(volume.mount.mount_point, "the container's bytes are given up",
                                exit_wrong_device)
               : exit_done;
  }
  const Status saved = save_container(*now, options.save_as);
  if (saved) return exit_done;
  accept_writes(*now);
  return report_failure(options.save_as, error_text(saved.error()) + " (still open)",
                        exit_status_of(saved.error().code));
}

// The volume stays open, so what was saved is no longer all of it.
void take_back(const OpenVolume& volume, const CloseOptions& options) {
  ::unlink(options.save_as.c_str());
  accept_writes(volume);
}

// Root closes another user's volume as that user: what is there is theirs, and may be made to lead
// root anywhere. It also sees what only that user may see: whether everything was flushed.
int close_as_owner(const OpenVolume& volume, const CloseOptions& options) {
  std::vector<std::string> arguments = {"/proc/self/exe", "close"};
  if (options.force) arguments.emplace_back("--force");
  arguments.push_back("--timeout=" + std::to_string(options.timeout_s));
  if (!options.save_as.empty()) arguments.push_back("--save-as=" + options.save_as);
  arguments.emplace_back("--");
  arguments.push_back(volume.mount.mount_point);
  const auto status = run_as_user(owner_of(volume), arguments);
  if (status) return *status;
  return fail(volume, "cannot close it as its user: " + error_text(status.error()),
              exit_status_of(status.error().code));
}

int close_volume(const OpenVolume& volume, const CloseOptions& options) {
  const bool others = owner_of(volume) != ::geteuid();
  if (others && ::geteuid() != 0) {
    return fail(volume, "opened by another user (" + std::to_string(owner_of(volume)) + ")",
                exit_no_permission);
  }
  if (volume.state == VolumeState::foreign) {
    return fail(volume, "is mounted as fuse.volt, but not by voltd: left alone", exit_wrong_device);
  }
  if (others) {
    const int status = detach_loops(volume, options);
    return status == exit_done ? close_as_owner(volume, options) : status;
  }
  if (const int status = refuse_to_lose(volume, options); status != exit_done) return status;
  if (!options.save_as.empty() && volume.state != VolumeState::open) {
    return fail(volume, "--save-as: the daemon does not answer to this user", exit_wrong_device);
  }
  if (const int status = detach_loops(volume, options); status != exit_done) return status;
  if (volume.state == VolumeState::dead) {
    report_notice(volume.mount.mount_point + ": its daemon had died");
    return take_away(volume, /*lazy=*/true);
  }
  int exit_status = exit_done;
  bool lazy = false;
  std::optional<DaemonWatch> daemon = watch_daemon(volume);
  if (volume.state != VolumeState::no_access) {
    const Flushed flushed = flush(volume, options, &exit_status);
    if (flushed != Flushed::yes && !options.force) return exit_status;
    lazy = flushed == Flushed::no_answer;
    if (lazy && !options.save_as.empty()) return exit_status;
    // It was slow to tell its state, and has answered since.
    if (!lazy && !daemon) {
      const auto now = find_open_volume(volume.mount.mount_point);
      if (auto watch = now ? watch_daemon(*now) : std::nullopt) daemon.emplace(std::move(*watch));
    }
    if (!lazy) {
      const int kept = keep_container(volume, options);
      const bool given_up = options.force && options.save_as.empty();
      if (kept != exit_done && !given_up) return kept;
      if (kept != exit_done) exit_status = kept;
    }
  }
  if (const int status = take_away(volume, lazy); status != exit_done) {
    if (!options.save_as.empty()) take_back(volume, options);
    return status;
  }
  if (lazy) return exit_status;  // the daemon gives up by itself
  if (daemon && !daemon->wait(options.limit())) {
    return fail(volume, "unmounted, but the daemon has not ended yet", exit_wrong_device);
  }
  return exit_status;
}

int close_all(const CloseOptions& options) {
  const auto volumes = list_open_volumes();
  if (!volumes) {
    return report_failure("close", error_text(volumes.error()),
                          exit_status_of(volumes.error().code));
  }
  int exit_status = exit_done;
  for (auto volume = volumes->rbegin(); volume != volumes->rend(); ++volume) {
    if (owner_of(*volume) != ::geteuid() && !options.all_users) continue;
    const int status = close_volume(*volume, options);
    if (exit_status == exit_done) exit_status = status;
  }
  std::size_t found = 0;
  const int status = detach_left_loops(std::nullopt, options, &found);
  return exit_status == exit_done ? status : exit_status;
}

// The volume on a folder, and what earlier ones there have left behind.
int close_one(const CloseOptions& options) {
  const auto volume = find_open_volume(options.folder);
  const int closed = volume ? close_volume(*volume, options) : exit_done;
  std::size_t found = 0;
  int detached = exit_done;
  if (const auto folder = canonical_mount_point(options.folder)) {
    detached = detach_left_loops(*folder + "/volume", options, &found);
  }
  if (!volume && found == 0) {
    return report_failure(options.folder, error_text(volume.error()),
                          exit_status_of(volume.error().code));
  }
  return closed == exit_done ? detached : closed;
}

int run_close(const CloseOptions& options) {
  if (options.all != options.folder.empty()) {
    return report_failure("command line", "close takes a folder, or --all", exit_wrong_parameters);
  }
  if (is_composed_name(options.save_as)) {
    return report_failure(
        options.save_as,
        "--save-as makes a plain file; a file of that name is ./" + options.save_as,
        exit_wrong_parameters);
  }
  if (options.all_users && !options.all) {
    return report_failure("command line", "--all-users goes with --all", exit_wrong_parameters);
  }
  if (options.all && !options.save_as.empty()) {
    return report_failure("command line", "--save-as is for one volume: name its folder",
                          exit_wrong_parameters);
  }
  return options.all ? close_all(options) : close_one(options);
}

}  // namespace

void add_close_command(Command& program) {
  Command& command = program.add_command("close", "flush and close an open volume");
  auto options = std::make_shared<CloseOptions>();
  command.add("folder", &options->folder, "where it is open");
  command.add("--all", &options->all, "close every volume that this user has open");
  command.add("--all-users", &options->all_users,
              "with --all: those of other users as well (root)");
  command.add("--force", &options->force, "close even if what was written cannot be flushed");
  command.add("--save-as", &options->save_as,
              "first copy the container, encrypted as it is, into this new file");
  command.add("--timeout", &options->timeout_s, "seconds to wait for the container")
      .between(1, 86400);
  command.runs([options] { return run_close(*options); });
}

}  // namespace volt
