// volt open FILE DIR: starts voltd and returns when DIR/volume is ready.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "blockdev/container_spec.h"
#include "blockdev/error_text.h"
#include "blockdev/exit_status.h"
#include "blockdev/host/option_values.h"
#include "tools/child_process.h"
#include "tools/commands.h"
#include "tools/credential_options.h"
#include "tools/loop_attach.h"
#include "tools/loop_detach.h"
#include "tools/open_volumes.h"
#include "tools/report.h"

namespace volt {
namespace {

constexpr int release_attempts = 500;

struct OpenOptions {
  std::string container;
  std::string mount_point;
  CredentialOptions credentials;
  CredentialOptions hidden_credentials;
  bool protect_hidden = false;
  std::string on_violation = "refuse";
  bool loop = false;
  bool read_only = false;
  bool plain = false;
  bool discard = false;
  bool cache = false;
  bool allow_other = false;
  bool no_hw_aes = false;
  bool require_locked_memory = false;
  unsigned threads = 0;
  std::string direct = "auto";
  std::string io = "auto";
  std::string kernel;
};

int report_error(const std::string& what, const Error& error) {
  return report_failure(what, error_text(error), exit_status_of(error.code));
}

std::vector<std::string> voltd_arguments(const OpenOptions& options) {
  std::vector<std::string> out = {"--called-as=volt"};
  const auto flag = [&out](bool set, const char* name) {
    if (set) out.emplace_back(name);
  };
  flag(options.read_only, "--read-only");
  flag(options.plain, "--plain");
  flag(options.protect_hidden, "--protect-hidden");
  flag(options.discard, "--discard");
  flag(options.loop, "--hold-writes");
  flag(options.cache, "--cache");
  flag(options.allow_other, "--allow-other");
  flag(options.no_hw_aes, "--no-hw-aes");
  flag(options.require_locked_memory, "--require-locked-memory");
  flag(simulated_disks_allowed(), "--testing");
  if (options.threads != 0) out.push_back("--threads=" + std::to_string(options.threads));
  if (options.direct != "auto") out.push_back("--direct=" + options.direct);
  if (options.io != "auto") out.push_back("--io=" + options.io);
  if (!options.kernel.empty()) out.push_back("--kernel=" + options.kernel);
  if (options.on_violation != "refuse") out.push_back("--on-violation=" + options.on_violation);
  for (std::string& argument : credential_arguments(options.credentials)) {
    out.push_back(std::move(argument));
  }
  for (std::string& argument :
       credential_arguments(options.hidden_credentials, CredentialRole::protected_hidden)) {
    out.push_back(std::move(argument));
  }
  out.emplace_back("--");
  out.push_back(options.container);
  out.push_back(options.mount_point);
  return out;
}

// Tells the daemon to take writes from now on, and waits until it does.
Status release_writes(const OpenVolume& volume) {
  const auto pid = static_cast<pid_t>(status_number(volume, "pid", 0));
  if (pid <= 0 || ::kill(pid, SIGUSR2) != 0) return error_from_errno("releasing writes", errno);
  for (int attempt = 0; attempt < release_attempts; ++attempt) {
    const auto now = find_open_volume(volume.mount.mount_point);
    if (!now) return now.error();
    if (!status_flag(*now, "writes_held")) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return Error{ErrorCode::io, ETIMEDOUT, "releasing writes", 0};
}

// What the kernel offers on the device becomes what the volume takes; the daemon holds writes until
// that is done. TRIM goes through only where the kernel can be kept from zeroing by it.
Status settle_offers(const OpenVolume& volume, const LoopDevice& device) {
  if (!status_flag(volume, "discard") || status_flag(volume, "read_only")) {
    withdraw_trim(device);
  } else {
    VOLT_TRY(forbid_zeroing_by_holes(device));
  }
  return release_writes(volume);
}

// A loop device on the volume that has just been opened; its name goes to standard output.
int attach(const OpenOptions& options) {
  const auto volume = find_open_volume(options.mount_point);
  if (!volume) return report_error(options.mount_point, volume.error());
  LoopRequest request;
  request.file = volume->volume_path();
  request.sector_bytes = static_cast<std::uint32_t>(status_number(*volume, "sector_bytes", 512));
  request.read_only = status_flag(*volume, "read_only");
  const auto device = attach_loop(request);
  if (!device) return report_error("--loop", device.error());
  if (const Status status = settle_offers(*volume, *device); !status) {
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
  if (options.loop) {
    if (const Status status = check_loop_permission(); !status) {
      return report_failure("--loop", error_text(status.error()) + " (loop devices need root)",
                            exit_status_of(status.error().code));
    }
  }
  const auto voltd = find_voltd();
  if (!voltd) return report_error("open", voltd.error());
  std::vector<std::string> arguments = voltd_arguments(options);
  arguments.insert(arguments.begin(), *voltd);
  const auto status = run_program(arguments);
  if (!status) return report_error(*voltd, status.error());
  if (*status != exit_done) return *status;
  tell_left_loops(options);
  if (!options.loop) return exit_done;
  const int attached = attach(options);
  if (attached != exit_done && !unmount(options.mount_point, /*lazy=*/false)) {
    report_notice(options.mount_point + ": stays open without a loop device");
  }
  return attached;
}

}  // namespace

void register_open_command(CLI::App& app, int* exit_status) {
  CLI::App* command = app.add_subcommand("open", "open a container below a folder");
  auto options = std::make_shared<OpenOptions>();
  command->add_option("container", options->container, "file, partition or drive")->required();
  command->add_option("folder", options->mount_point, "empty folder to mount on")->required();
  command->add_flag("--loop", options->loop, "attach a loop device and print its name");
  command->add_flag("--read-only", options->read_only, "never write to the container");
  command->add_flag("--plain", options->plain, "no encryption: the file itself, the same way");
  command->add_flag("--protect-hidden", options->protect_hidden,
                    "refuse writes into the hidden volume; asks for its password too");
  command
      ->add_option("--on-violation", options->on_violation,
                   "after a refused write: refuse (only such writes) or read-only (all writes)")
      ->transform(one_of({"refuse", "read-only"}));
  command->add_flag("--discard", options->discard, "pass TRIM and hole punching down");
  command->add_flag("--cache", options->cache, "let the kernel cache the decrypted volume");
  command->add_flag("--allow-other", options->allow_other, "other users may reach the volume");
  command->add_flag("--no-hw-aes", options->no_hw_aes, "do not use the processor's AES");
  command->add_flag("--require-locked-memory", options->require_locked_memory,
                    "refuse to open where keys cannot be kept out of the swap space");
  command->add_option("--threads", options->threads, "requests served at once")
      ->transform(whole_number(1, 256));
  command->add_option("--direct", options->direct, "O_DIRECT on the container: auto, on or off")
      ->transform(one_of({"auto", "on", "off"}));
  command->add_option("--io", options->io, "container's transfers: auto, threads or io_uring")
      ->transform(one_of({"auto", "threads", "io_uring"}));
  command->add_option("--kernel", options->kernel, "force a cipher kernel")->group("");
  add_credential_options(*command, &options->credentials);
  add_credential_options(*command, &options->hidden_credentials, CredentialRole::protected_hidden);
  command->callback([options, exit_status] { *exit_status = run_open(*options); });
}

}  // namespace volt
