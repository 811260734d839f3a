// voltd: one container, one mount point.
#include <memory>
#include <optional>
#include <string>

#include "blockdev/error_text.h"
#include "blockdev/exit_status.h"
#include "blockdev/process_signals.h"
#include "blockdev/program_end.h"
#include "crypto/cpu_features.h"
#include "daemon/hardening.h"
#include "daemon/launch.h"
#include "daemon/log.h"
#include "daemon/mount_point.h"
#include "daemon/open_volume.h"
#include "daemon/options.h"
#include "daemon/serve.h"

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
  start_log(options->called_as);
  auto launch = Launch::start(options->foreground);
  if (!launch) {
    return report({exit_status_of(launch.error().code), "start", error_text(launch.error()), {}});
  }
  options->umask = harden_process();
  Failure failure;
  auto mount_point = prepare_mount_point(options->mount_point, &failure.why);
  if (!mount_point) {
    return report({mount_point_status(mount_point.error()), options->mount_point, failure.why, {}});
  }
  auto volume = open_volume(*options, mount_point->path, &failure);
  if (volume == nullptr) return report(failure);
  const int status =
      serve(*options, std::move(volume), std::move(mount_point->lock), &*launch, &failure);
  return failure.what.empty() ? status : report(failure);
}

}  // namespace
}  // namespace volt

int main(int argc, char** argv) {
  volt::prepare_process();
  volt::apply_cpu_environment();
  return volt::run_to_end([&] { return volt::run(argc, argv); }, volt::log_error);
}
