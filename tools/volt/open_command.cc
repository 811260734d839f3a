// volt open FILE DIR: starts voltd and returns when DIR/volume is ready.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "blockdev/host/command_line.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/exit_status.h"
#include "blockdev/host/file_descriptor.h"
#include "blockdev/stack/container_spec.h"
#include "blockdev/stack/serving_options.h"
#include "tools/common/child_process.h"
#include "tools/common/loop_attach.h"
#include "tools/common/loop_detach.h"
#include "tools/common/open_volumes.h"
#include "tools/common/process_watch.h"
#include "tools/common/report.h"
#include "tools/volt/commands.h"

namespace volt {
namespace {

constexpr int release_attempts = 500;

struct OpenOptions : ServingOptions {
  bool loop = false;
};

int report_error(const std::string& what, const Error& error) {
  return report_failure(what, error_text(error), exit_status_of(error.code));
}

std::vector<std::string> voltd_arguments(const OpenOptions& options, int ready_fd) {
  std::vector<std::string> out = {"--called-as=volt"};
  if (options.loop) out.emplace_back("--hold-writes");
  if (ready_fd >= 0) out.push_back("--ready-fd=" + std::to_string(ready_fd));
  for (std::string& argument : serving_arguments(options)) out.push_back(std::move(argument));
  return out;
}

// The daemon that was started and the mount that it made, as it has told itself.
struct Started {
  pid_t daemon = 0;
  std::uint64_t mount_id = 0;
};

std::optional<Started> read_started(int fd) {
  std::array<char, 64> line{};
  const ssize_t length = ::read(fd, line.data(), line.size() - 1);
  Started started;
  unsigned long long id = 0;
  if (length <= 0 || std::sscanf(line.data(), "%d %llu", &started.daemon, &id) != 2) {
    return std::nullopt;
  }
  started.mount_id = id;
  return started;
}

// The volume by its mount: whatever the folder's name leads to by now.
Result<OpenVolume> find_started(const Started& started) {
  const auto volumes = list_open_volumes();
  if (!volumes) return volumes.error();
  for (const OpenVolume& volume : *volumes) {
    if (volume.mount.id == started.mount_id) return volume;
  }
  return Error{ErrorCode::not_found, 0, "the volume has been closed meanwhile", 0};
}

// Tells the daemon to take writes from now on, and waits until it does.
Status release_writes(const Started& started) {
  const auto daemon = DaemonWatch::create(started.daemon, ::geteuid());
  if (!daemon) return daemon.error();
  VOLT_TRY(daemon->send(SIGUSR2));
  for (int attempt = 0; attempt < release_attempts; ++attempt) {
    const auto now = find_started(started);
    if (!now) return now.error();
    if (!(now->status && now->status->writes_held)) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return Error{ErrorCode::io, ETIMEDOUT, "releasing writes", 0};
}

// What the kernel offers on the device becomes what the volume takes; the daemon holds writes until
// that is done. TRIM goes through only where the kernel can be kept from zeroing by it; else the
// daemon has seen to it that the kernel offers neither (daemon/fuse/fuse_ops.cc, on_statfs).
// Setting the device's limits in /sys would outlast this use of it and meet whoever has it next.
Status settle_offers(const OpenVolume& volume, const Started& started, const LoopDevice& device) {
  const bool trims = volume.status && volume.status->discard && !volume.status->read_only;
  if (trims) VOLT_TRY(forbid_zeroing_by_holes(device));
  return release_writes(started);
}

// A loop device on the volume that has just been opened; its name goes to standard output.
int attach(const OpenOptions& options, const Started& started) {
  const auto volume = find_started(started);
  if (!volume) return report_error(options.mount_point, volume.error());
  LoopRequest request;
  request.file = volume->volume_path();
  if (volume->status) {
    request.sector_bytes = static_cast<std::uint32_t>(volume->status->sector_bytes);
    request.read_only = volume->status->read_only;
  }
  const auto file = open_in_mount(volume->mount, "volume", request.read_only ? O_RDONLY : O_RDWR);
  if (!file) return report_error(options.mount_point, file.error());
  request.fd = file->get();
  const auto device = attach_loop(request);
  if (!device) return report_error("--loop", device.error());
  if (const Status status = settle_offers(*volume, started, *device); !status) {
    LoopDetachment detachment;
    detachment.device = device->path;
    detachment.file = volume->volume_path();
    detachment.unwritten = Unwritten::is_dropped;
    static_cast<void>(detach_loop(detachment));
    return report_error(options.discard ? "--discard" : "--loop", status.error());
  }
  if (!device->direct_io) report_notice(device->path + ": the kernel grants no direct I/O on it");
  if (device->sector_bytes != request.sector_bytes) {
    report_notice(device->path + ": has sectors of " + std::to_string(device->sector_bytes) +
                  " bytes, not " + std::to_string(request.sector_bytes));
  }
  fmt::print("{}\n", device->path);
  return exit_done;
}

// Devices of an earlier volume on that folder give nothing but errors.
void tell_left_loops(const OpenOptions& options) {
  const auto folder = canonical_mount_point(options.mount_point);
  if (!folder) return;
  for (const LeftLoop& loop : left_loops()) {
    if (!left_loop_is_on(loop, *folder + "/volume")) continue;
    report_notice(options.mount_point + ": " + loop.device +
                  " of an earlier volume there is still attached (volt close detaches it)");
  }
}

int run_open(const OpenOptions& options) {
  if (options.testing) allow_simulated_disks();
  if (options.loop) {
    if (const Status status = check_loop_permission(); !status) {
      return report_failure("--loop", error_text(status.error()) + " (loop devices need root)",
                            exit_status_of(status.error().code));
    }
  }
  const auto voltd = find_voltd();
  if (!voltd) return report_error("open", voltd.error());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return report_error("open", error_from_errno("pipe", errno));
  const FileDescriptor told(ends[0]);
  FileDescriptor telling(ends[1]);
  std::vector<std::string> arguments = voltd_arguments(options, telling.get());
  arguments.insert(arguments.begin(), *voltd);
  const auto status = run_program(arguments, {telling.get()});
  telling.reset();
  if (!status) return report_error(*voltd, status.error());
  if (*status != exit_done) return *status;
  tell_left_loops(options);
  if (!options.loop) return exit_done;
  const auto started = read_started(told.get());
  if (!started) return report_failure("--loop", "the daemon has ended", exit_wrong_device);
  const int attached = attach(options, *started);
  if (attached != exit_done) {
    const auto volume = find_started(*started);
    if (!volume || !unmount(volume->mount, /*lazy=*/false)) {
      report_notice(options.mount_point + ": stays open without a loop device");
    }
  }
  return attached;
}

}  // namespace

void add_open_command(Command& program) {
  Command& command = program.add_command("open", "open a container below a folder");
  auto options = std::make_shared<OpenOptions>();
  add_serving_options(command, options.get());
  command.add("--loop", &options->loop, "attach a loop device and print its name");
  command.example("volt open secret.hc here", "here/volume is the decrypted volume");
  command.example("sudo volt open secret.hc here --loop", "prints the loop device to mount");
  command.runs([options] { return run_open(*options); });
}

}  // namespace volt
