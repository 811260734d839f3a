// voltd: one container, one mount point.
#include <memory>
#include <optional>
#include <string>

#include "blockdev/host/error_text.h"
#include "blockdev/host/exit_status.h"
#include "blockdev/host/hardening.h"
#include "blockdev/host/process_signals.h"
#include "blockdev/host/program_end.h"
#include "crypto/base/cpu_features.h"
#include "daemon/fuse/mount_point.h"
#include "daemon/process/hardening.h"
#include "daemon/process/launch.h"
#include "daemon/process/open_volume.h"
#include "daemon/process/options.h"
#include "daemon/process/serve.h"
#include "daemon/serve/log.h"

namespace volt {
namespace {

int report(const Failure& failure) {
  log_error(failure.what + ": " + failure.why);
  for (const std::string& hint : failure.hints) log_notice(hint);
  return failure.status;
}

// A folder that does not fit is a wrong file, unless it is in use or closed to this user.
ExitStatus mount_point_status(const Error& error) {
  const ExitStatus status = exit_status_of(error.code);
  return status == exit_wrong_parameters ? exit_wrong_device : status;
}

int run(int argc, char** argv) {
  int exit_status = exit_done;
  std::optional<Options> options = parse_options(argc, argv, &exit_status);
  if (!options) return exit_status;
  hide_arguments(argc, argv);
  close_inherited(inherited_descriptors(*options));
  start_log(options->called_as);
  auto launch = Launch::start(options->foreground);
  if (!launch) {
    return report({exit_status_of(launch.error().code), "start", error_text(launch.error()), {}});
  }
  options->umask = harden_daemon();
  std::string why;
  auto mount_point = prepare_mount_point(options->mount_point, &why);
  if (!mount_point) {
    return report({mount_point_status(mount_point.error()), options->mount_point, why, {}});
  }
  auto volume = open_volume(*options, mount_point->path);
  if (!volume) return report(volume.failure());
  const auto served = serve(*options, *std::move(volume), *std::move(mount_point), &*launch);
  return served ? *served : report(served.failure());
}

}  // namespace
}  // namespace volt

int main(int argc, char** argv) {
  volt::prepare_process();
  volt::apply_cpu_environment();
  return volt::run_to_end([&] { return volt::run(argc, argv); }, volt::log_error);
}
