#include "daemon/process/open_volume.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <optional>
#include <utility>

#include "blockdev/backing/storage_users.h"
#include "blockdev/formats/veracrypt/container_fit.h"
#include "blockdev/formats/veracrypt/unlock_failure.h"
#include "blockdev/formats/veracrypt/volume_unlock.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/tty_prompt.h"
#include "blockdev/stack/container_spec.h"
#include "crypto/base/cpu_features.h"
#include "crypto/base/memory_lock.h"
#include "crypto/modes/cascade.h"
#include "daemon/process/log.h"
#include "daemon/process/unlock_progress.h"

namespace volt {
namespace {

std::unique_ptr<ServedVolume> fail(Failure* failure, ExitStatus status, std::string what,
                                   std::string why) {
  *failure = {status, std::move(what), std::move(why), {}};
  return nullptr;
}

KernelChoice kernel_choice(const Options& options) {
  KernelChoice choice = default_kernel_choice();
  if (!options.kernel.empty()) choice.forced_name = options.kernel.c_str();
  return choice;
}

bool check_options(const Options& options, std::string* why) {
  if (options.plain) return true;
  if (!check_credential_options(options.credentials, why)) return false;
  if (!check_credential_options(options.hidden_credentials, why)) return false;
  if (options.protect_hidden && options.credentials.hidden) {
    *why = "--protect-hidden is for the outer volume, --hidden opens the hidden one";
    return false;
  }
  return true;
}

void tell_facts(const UnlockedVolume& unlocked, const std::string& kernel, VolumeFacts* facts) {
  facts->format = format_name(unlocked.header.format);
  facts->cipher = unlocked.cascade->name;
  facts->kernel = kernel;
  facts->mode = mode_name(unlocked.mode);
  facts->prf = unlocked.kdf->name;
  facts->pim = unlocked.pim;
  facts->header_place = place_name(unlocked.place);
  facts->hidden = unlocked.hidden();
  facts->data_offset_bytes = unlocked.geometry.data_offset_bytes;
  facts->sector_bytes = unlocked.geometry.sector_bytes;
}

// What unlocks one volume of the container: asks, tries, and explains a refusal.
class Unlocker {
 public:
  Unlocker(const Options& options, BlockDevice& container, Failure* failure)
      : options_(options), container_(container), failure_(failure) {}

  // `refine` may narrow what is tried. Empty on failure, which is then told.
  std::optional<UnlockedVolume> unlock(const CredentialOptions& credential_options,
                                       const std::string& prompt, void (*refine)(UnlockRequest*)) {
    std::string why;
    std::vector<std::string> notices;
    auto credentials =
        Credentials::gather(credential_options, prompt.c_str(), /*confirm=*/false, &why, &notices);
    for (const std::string& notice : notices) log_notice(notice);
    if (!credentials) {
      *failure_ = {exit_status_of(credentials.error().code), options_.container, why, {}};
      return std::nullopt;
    }
    UnlockRequest request = credentials->request();
    request.cut_allowed = container_.geometry().read_only;
    refine(&request);
    UnlockReport report;
    UnlockProgress progress;
    request.progress = [&progress](const std::string& what, double fraction) {
      progress.show(what, fraction);
    };
    auto unlocked = unlock_volume(container_, request, &report);
    progress.clear();
    if (unlocked) return std::move(*unlocked);
    UnlockFailure why_not =
        explain_unlock_failure(unlocked.error(), report, request,
                               {options_.container, &container_, credential_options.verbose});
    *failure_ = {why_not.status, options_.container, std::move(why_not.why),
                 std::move(why_not.hints)};
    return std::nullopt;
  }

 private:
  const Options& options_;
  BlockDevice& container_;
  Failure* failure_;
};

// The range of the container that an outer volume must leave alone.
bool find_protected_range(const Options& options, Unlocker* unlocker, StackOptions* stack) {
  CredentialOptions credentials = options.hidden_credentials;
  credentials.header = options.credentials.header;  // one file for both
  credentials.verbose = options.credentials.verbose;
  const auto hidden =
      unlocker->unlock(credentials, "Password for the hidden volume in " + options.container + ": ",
                       [](UnlockRequest* request) { request->hidden = true; });
  if (!hidden) return false;
  stack->protect_from_bytes = hidden->geometry.data_offset_bytes;
  stack->protect_to_bytes = hidden->geometry.data_offset_bytes + hidden->geometry.data_bytes;
  return true;
}

// Fills `volume`'s device and facts from an encrypted container; false on failure.
bool unlock_into(const Options& options, DevicePtr container, StackOptions stack,
                 ServedVolume* volume, Failure* failure) {
  const auto refuse = [&](const Error& error) {
    *failure = {exit_status_of(error.code), options.container, error_text(error), {}};
    return false;
  };
  Unlocker unlocker(options, *container, failure);
  void (*const refine)(UnlockRequest*) =
      options.protect_hidden ? +[](UnlockRequest* request) { request->only_outer = true; }
                             : +[](UnlockRequest*) {};
  const auto unlocked =
      unlocker.unlock(options.credentials, "Password for " + options.container + ": ", refine);
  if (!unlocked) return false;
  if (options.protect_hidden && !find_protected_range(options, &unlocker, &stack)) return false;
  const auto cipher = make_volume_cipher(*unlocked, stack.kernels);
  if (!cipher) return refuse(cipher.error());
  tell_facts(*unlocked, (*cipher)->kernel_names(), &volume->facts);
  if (!options.credentials.header.empty()) volume->facts.header_place += " (detached)";
  volume->facts.protects_hidden = options.protect_hidden;
  volume->facts.read_only_after_violation = options.on_violation == "read-only";
  if (place_is_backup(unlocked->place) && !options.credentials.backup_header &&
      options.credentials.header.empty()) {
    log_notice(options.container + ": opened with its backup header; the first one is damaged");
  }
  if (const std::string notice = fit_notice(*unlocked, container->size()); !notice.empty()) {
    log_notice(options.container + ": " + notice);
  }
  auto device = compose_volume(std::move(container), *unlocked, stack, &volume->stats);
  if (!device) return refuse(device.error());
  volume->device = std::move(*device);
  return true;
}

// Keys that may reach the swap space are told of, or refused.
bool check_locked_memory(const Options& options, Failure* failure) {
  if (options.plain || secrets_are_locked()) return true;
  struct rlimit limit {};
  std::string allowed;
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    allowed = " (now " + std::to_string(limit.rlim_cur >> 10) + " KiB)";
  }
  const std::string problem =
      "keys could not be locked in memory and may reach the swap space: raise the limit of locked "
      "memory" +
      allowed + " with ulimit -l or in /etc/security/limits.conf, or encrypt the swap space";
  if (options.require_locked_memory) {
    *failure = {exit_out_of_memory, options.container, problem};
    return false;
  }
  log_notice(options.container + ": " + problem);
  return true;
}

bool compose_into(const Options& options, DevicePtr container, const StackOptions& stack,
                  ServedVolume* volume, Failure* failure) {
  if (!options.plain) return unlock_into(options, std::move(container), stack, volume, failure);
  volume->facts.format = "plain";
  volume->facts.plain = true;
  auto device = compose_plain(std::move(container), stack, &volume->stats);
  if (!device) {
    *failure = {
        exit_status_of(device.error().code), options.container, error_text(device.error()), {}};
    return false;
  }
  volume->device = std::move(*device);
  return true;
}

}  // namespace

std::unique_ptr<ServedVolume> open_volume(const Options& options, const std::string& mount_point,
                                          Failure* failure) {
  const QuietTerminal quiet;  // until everything is derived
  if (options.testing) allow_simulated_disks();
  if (options.no_hw_aes) mask_cpu_features(cpu_aes_rounds);
  std::string why;
  if (!check_options(options, &why)) {
    return fail(failure, exit_wrong_parameters, "command line", why);
  }
  ContainerOptions container_options;
  container_options.read_only = options.read_only;
  container_options.direct = options.direct_io();
  container_options.discard = options.discard;
  auto container = open_container(options.container, container_options);
  if (!container) {
    return fail(failure, exit_status_of(container.error().code), options.container,
                container_error_text(options.container, container.error()));
  }
  if (container->read_only && !options.read_only) {
    log_notice(options.container + ": cannot be written to: opening read-only");
  }
  auto volume = std::make_unique<ServedVolume>();
  VolumeFacts& facts = volume->facts;
  facts.container = canonical_container_name(options.container);
  facts.mount_point = mount_point;
  facts.read_only = container->read_only;
  facts.discard = options.discard;
  facts.page_cache = options.cache;
  facts.for_others = options.allow_other ? 077 & ~options.umask : 0;
  facts.container_direct_io = container->direct;
  volume->serving = {options.threads, options.io_engine(), container->in_memory,
                     container->one_file && container->direct};
  volume->container = container->device.get();
  for (const FileDevice* file : container->files) {
    volume->files.emplace_back(file->path(), file->descriptor());
  }
  StackOptions stack;
  stack.read_only = container->read_only;
  stack.discard = options.discard;
  stack.kernels = kernel_choice(options);
  if (!compose_into(options, std::move(container->device), stack, volume.get(), failure)) {
    return nullptr;
  }
  if (!check_locked_memory(options, failure)) return nullptr;
  const std::string first_path = volume->files.front().path();
  struct stat info {};
  volume->modified_at_s =
      ::stat(first_path.c_str(), &info) == 0 ? info.st_mtim.tv_sec : ::time(nullptr);
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  volume->opened_at_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  return volume;
}

}  // namespace volt
