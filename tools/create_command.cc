// volt create: a new container in a file or on a block device.
#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "blockdev/credentials.h"
#include "blockdev/device_stack.h"
#include "blockdev/error_text.h"
#include "blockdev/volume_format.h"
#include "tools/commands.h"
#include "tools/credential_options.h"
#include "tools/interrupt.h"
#include "tools/new_file.h"
#include "tools/progress_line.h"
#include "tools/random_fill.h"
#include "tools/report.h"
#include "tools/size_text.h"
#include "tools/volume_facts.h"

namespace volt {
namespace {

struct CreateOptions {
  std::string file;
  std::string size_text;
  bool quick = false;
  bool yes = false;
  bool json = false;
  CredentialOptions credentials;
};

// What the options come to.
struct CreatePlan {
  std::uint64_t bytes = 0;
  bool device = false;  // an existing block device rather than a new file
  const CascadeSpec* cascade = nullptr;
  const KdfSpec* kdf = nullptr;
};

int fail(const CreateOptions& options, const std::string& why, ExitStatus status) {
  return report_failure(options.file, why, status);
}

int fail(const CreateOptions& options, const Error& error) {
  return fail(options, error_text(error), exit_status_of(error.code));
}

// Cipher and PRF by name; nothing named means AES, SHA-512 and VeraCrypt's format.
std::optional<std::string> choose_algorithms(const CreateOptions& options, CreatePlan* plan) {
  const CredentialOptions& named = options.credentials;
  if (named.system || named.backup_header) {
    return "--system and --backup-header open volumes, they do not make one";
  }
  const VolumeFormat format =
      named.format == "truecrypt" ? VolumeFormat::truecrypt : VolumeFormat::veracrypt;
  plan->cascade = find_cascade(named.cipher.empty() ? "aes" : named.cipher);
  if (plan->cascade == nullptr || plan->cascade->legacy ||
      !(format == VolumeFormat::truecrypt ? plan->cascade->truecrypt : plan->cascade->veracrypt)) {
    return fmt::format("--cipher: new {} volumes cannot use '{}'", format_name(format),
                       named.cipher);
  }
  PrfId prf = PrfId::sha512;
  if (!named.prf.empty()) parse_prf(named.prf, &prf);  // checked before
  plan->kdf = find_kdf(format, prf, false);
  if (plan->kdf == nullptr || !plan->kdf->creatable) {
    return fmt::format("--prf: new {} volumes cannot use '{}'", format_name(format), named.prf);
  }
  if (named.pim != 0 && plan->kdf->pim_rule == PimRule::none) {
    return "--pim: TrueCrypt's format has no PIM";
  }
  return std::nullopt;
}

// Sizes of an existing block device; 0 and an error text otherwise.
std::optional<std::string> plan_target(const CreateOptions& options, CreatePlan* plan,
                                       ExitStatus* status) {
  *status = exit_wrong_parameters;
  std::uint64_t wanted = 0;
  if (!options.size_text.empty()) {
    const auto size = parse_size(options.size_text);
    if (!size.ok()) {
      return fmt::format("--size: '{}': {}", options.size_text, size.error().context);
    }
    wanted = *size;
  }
  struct stat info {};
  plan->device = stat(options.file.c_str(), &info) == 0 && S_ISBLK(info.st_mode);
  if (plan->device) {
    if (wanted != 0) return "--size: a block device is used whole; leave --size out";
    if (!options.yes) return "everything on the device will be lost; add --yes if that is meant";
    return std::nullopt;
  }
  if (lstat(options.file.c_str(), &info) == 0) {
    *status = exit_wrong_device;
    return "exists already; nothing that exists is overwritten";
  }
  if (wanted == 0) return "--size is needed, for example --size 100M";
  plan->bytes = wanted / unit_bytes * unit_bytes;
  if (plan->bytes != wanted) {
    report_notice(
        fmt::format("--size: rounded down to {} bytes, a multiple of {}", plan->bytes, unit_bytes));
  }
  if (plan->bytes < min_container_bytes) {
    return fmt::format("--size: too small: the smallest container has {} bytes",
                       min_container_bytes);
  }
  const auto free = free_bytes_beside(options.file);
  if (!free.ok()) {
    *status = exit_status_of(free.error().code);
    return error_text(free.error());
  }
  if (*free < plan->bytes) {
    const std::string text =
        fmt::format("{} are needed, {} are free", format_size(plan->bytes), format_size(*free));
    if (!options.quick) {
      *status = exit_wrong_device;
      return "no space: " + text + " (--quick makes a sparse container)";
    }
    report_notice("a sparse container larger than the space left: " + text);
  }
  return std::nullopt;
}

// Random bytes everywhere that shows whether a volume lies there; with --quick only around the
// headers.
Status fill_container(BlockDevice& container, bool quick) {
  const std::atomic<bool>& cancel = catch_interrupts();
  if (quick) {
    VOLT_TRY(fill_random(container, 0, header_group_bytes, cancel, {}));
    return fill_random(container, container.size() - header_group_bytes, header_group_bytes, cancel,
                       {});
  }
  ProgressLine line;
  return fill_random(
      container, 0, container.size() / unit_bytes * unit_bytes, cancel,
      [&](std::uint64_t done) { line.show_bytes("filling", done, container.size()); });
}

Result<UnlockedVolume> make_volume(const std::string& path, const CreateOptions& options,
                                   const CreatePlan& plan, const Credentials& credentials) {
  ContainerOptions access;
  access.direct = DirectIo::off;  // headers and odd sizes need no alignment then
  auto container = open_container(path, access);
  if (!container.ok()) return container.error();
  if (container->read_only) return Error{ErrorCode::read_only, 0, "cannot be written", 0};
  if (container->device->size() < min_container_bytes) {
    return Error{ErrorCode::invalid_argument, 0, "too small for a container",
                 container->device->size()};
  }
  VOLT_TRY(fill_container(*container->device, options.quick));
  FormatRequest request;
  request.cascade = plan.cascade;
  request.kdf = plan.kdf;
  request.pim = options.credentials.pim;
  request.password = credentials.password();
  request.keyfiles = credentials.keyfiles();
  auto volume = format_volume(*container->device, request);
  if (!volume.ok()) return volume;
  VOLT_TRY(container->device->flush());
  return volume;
}

int create(const CreateOptions& options) {
  std::string why;
  const Status checked = check_credential_options(options.credentials, &why);
  if (!checked.ok()) return fail(options, why, exit_wrong_parameters);
  CreatePlan plan;
  if (const auto problem = choose_algorithms(options, &plan)) {
    return fail(options, *problem, exit_wrong_parameters);
  }
  ExitStatus status = exit_wrong_parameters;
  if (const auto problem = plan_target(options, &plan, &status)) {
    return fail(options, *problem, status);
  }
  std::vector<std::string> notices;
  const auto credentials =
      Credentials::gather(options.credentials, "New password: ", true, &why, &notices);
  for (const std::string& notice : notices) report_notice(notice);
  if (!credentials.ok()) {
    return fail(options, why, exit_status_of(credentials.error().code));
  }
  catch_interrupts();

  if (plan.device) {
    const auto volume = make_volume(options.file, options, plan, *credentials);
    if (!volume.ok()) return fail(options, volume.error());
    print_volume_facts(options.file, *volume, options.json);
    return exit_done;
  }
  auto file = NewFile::create(options.file);
  if (!file.ok()) return fail(options, file.error());
  const Status sized = file->resize(plan.bytes, !options.quick);
  if (!sized.ok()) return fail(options, sized.error());
  const auto volume = make_volume(file->access_path(), options, plan, *credentials);
  if (!volume.ok()) return fail(options, volume.error());
  const Status published = file->publish();
  if (!published.ok()) return fail(options, published.error());
  print_volume_facts(options.file, *volume, options.json);
  return exit_done;
}

}  // namespace

void register_create_command(CLI::App& app, int* exit_status) {
  auto options = std::make_shared<CreateOptions>();
  CLI::App* command = app.add_subcommand("create", "Make a new container");
  command->add_option("FILE", options->file, "the new file, or a block device")->required();
  command->add_option("--size", options->size_text, "size of the container, for example 10G");
  command->add_flag("--quick", options->quick,
                    "leave the data area as it is: a sparse file, made at once");
  command->add_flag("--yes", options->yes, "overwrite a block device without asking");
  command->add_flag("--json", options->json, "print what was made as JSON");
  add_credential_options(*command, &options->credentials);
  command->callback([options, exit_status] { *exit_status = create(*options); });
}

}  // namespace volt
