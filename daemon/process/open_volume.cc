#include "daemon/process/open_volume.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include "blockdev/host/error_text.h"
#include "blockdev/host/tty_prompt.h"
#include "blockdev/stack/container_spec.h"
#include "blockdev/stack/storage_users.h"
#include "blockdev/stack/unlocking.h"
#include "blockdev/stack/volume_status.h"
#include "crypto/base/cpu_features.h"
#include "crypto/base/memory_lock.h"
#include "crypto/modes/cascade.h"
#include "daemon/serve/log.h"

namespace volt {
namespace {

KernelChoice kernel_choice(const Options& options) {
  KernelChoice choice = default_kernel_choice();
  if (!options.kernel.empty()) choice.forced_name = options.kernel.c_str();
  return choice;
}

Outcome<void> check_options(const Options& options) {
  const auto refuse = [](std::string why) {
    return Failure{exit_wrong_parameters, "command line", std::move(why), {}};
  };
  std::string why;
  if (options.plain) return {};
  if (!check_credential_options(options.credentials, &why)) return refuse(why);
  if (!check_credential_options(options.hidden_credentials, &why)) return refuse(why);
  if (options.protect_hidden && options.credentials.hidden) {
    return refuse("--protect-hidden is for the outer volume, --hidden opens the hidden one");
  }
  return {};
}

Conversation conversation() {
  return {log_notice, nullptr};
}

// The range of the container that an outer volume must leave alone.
Outcome<void> find_protected_range(const Options& options, BlockDevice& container,
                                   StackOptions* stack) {
  CredentialOptions credentials = options.hidden_credentials;
  credentials.header = options.credentials.header;  // one file for both
  credentials.verbose = options.credentials.verbose;
  credentials.hidden = true;
  const auto hidden =
      unlock_by_asking({.container = named_container(container, options.container),
                        .options = credentials,
                        .prompt = "Password for the hidden volume in " + options.container + ": "},
                       conversation());
  if (!hidden) return hidden.failure();
  stack->protect_from_bytes = hidden->volume->begin_in_container();
  stack->protect_to_bytes = hidden->volume->end_in_container();
  return {};
}

// Fills `volume`'s device and facts from an encrypted container.
Outcome<void> unlock_into(const Options& options, DevicePtr container, StackOptions stack,
                          ServedVolume* volume) {
  auto unlocked = unlock_by_asking({.container = named_container(*container, options.container),
                                    .options = options.credentials,
                                    .prompt = "Password for " + options.container + ": ",
                                    .only_outer = options.protect_hidden,
                                    .kernels = kernel_choice(options)},
                                   conversation());
  if (!unlocked) return unlocked.failure();
  OpenedVolume& opened = *unlocked->volume;
  if (options.protect_hidden) {
    if (auto found = find_protected_range(options, *container, &stack); !found) return found;
  }
  VolumeFacts& facts = volume->facts;
  facts.volume = opened.facts;
  facts.sector_bytes = opened.sector_bytes;
  facts.protects_hidden = options.protect_hidden;
  facts.read_only_after_violation = options.on_violation == "read-only";
  if (!opened.read_only_why.empty() && !stack.read_only) {
    log_notice(options.container + ": opening read-only: " + opened.read_only_why);
    stack.read_only = facts.read_only = true;
  }
  auto device = compose_volume(std::move(container), opened, stack, &volume->stats);
  if (!device) return Failure::of(options.container, device.error());
  volume->device = std::move(*device);
  return {};
}

// Keys that may reach the swap space are told of, or refused.
Outcome<void> check_locked_memory(const Options& options) {
  if (options.plain || secrets_are_locked()) return {};
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
    return Failure{exit_out_of_memory, options.container, problem, {}};
  }
  log_notice(options.container + ": " + problem);
  return {};
}

Outcome<void> compose_into(const Options& options, DevicePtr container, const StackOptions& stack,
                           ServedVolume* volume) {
  if (!options.plain) return unlock_into(options, std::move(container), stack, volume);
  volume->facts.volume = plain_volume_facts();
  volume->facts.plain = true;
  auto device = compose_plain(std::move(container), stack, &volume->stats);
  if (!device) return Failure::of(options.container, device.error());
  volume->device = std::move(*device);
  return {};
}

void set_times(ServedVolume* volume) {
  struct stat info {};
  volume->modified_at_s = ::stat(volume->files.front().path().c_str(), &info) == 0
                              ? info.st_mtim.tv_sec
                              : ::time(nullptr);
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  volume->opened_at_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Outcome<std::unique_ptr<ServedVolume>> open_volume(const Options& options,
                                                   const std::string& mount_point) {
  const QuietTerminal quiet;  // until everything is derived
  if (options.testing) allow_simulated_disks();
  if (options.no_hw_aes) mask_cpu_features(cpu_aes_rounds);
  if (auto checked = check_options(options); !checked) return checked.failure();
  ContainerOptions container_options;
  container_options.read_only = options.read_only;
  container_options.direct = options.direct_io();
  container_options.discard = options.discard;
  auto container = open_container(options.container, container_options);
  if (!container) {
    return Failure{exit_status_of(container.error().code),
                   options.container,
                   container_error_text(options.container, container.error()),
                   {}};
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
    struct stat info {};
    if (options.keep_mtime && ::fstat(file->descriptor(), &info) == 0) {
      volume->times_to_keep.push_back({file->descriptor(), {info.st_atim, info.st_mtim}});
    }
  }
  StackOptions stack;
  stack.read_only = container->read_only;
  stack.discard = options.discard;
  auto composed = compose_into(options, std::move(container->device), stack, volume.get());
  if (composed) composed = check_locked_memory(options);
  if (!composed) return composed.failure();
  set_times(volume.get());
  return volume;
}

}  // namespace volt
