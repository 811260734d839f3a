// volt create: a new container in a file or on a block device.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "blockdev/formats/format.h"
#include "blockdev/host/command_line.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/file_descriptor.h"
#include "blockdev/host/tty_prompt.h"
#include "blockdev/stack/container_spec.h"
#include "blockdev/stack/credential_rows.h"
#include "blockdev/stack/credentials.h"
#include "blockdev/stack/device_stack.h"
#include "blockdev/stack/storage_users.h"
#include "tools/common/interrupt.h"
#include "tools/common/new_file.h"
#include "tools/common/progress_line.h"
#include "tools/common/random_fill.h"
#include "tools/common/report.h"
#include "tools/common/size_text.h"
#include "tools/volt/commands.h"
#include "tools/volt/file_system.h"
#include "tools/volt/new_container.h"
#include "tools/volt/new_volume.h"
#include "tools/volt/volume_access.h"
#include "tools/volt/volume_facts.h"

namespace volt {
namespace {

struct CreateOptions {
  std::string file;
  std::string size_text;
  bool quick = false;
  bool yes = false;
  bool json = false;
  std::string file_system;
  std::uint32_t sector_bytes = 0;  // 0: the device's, or 512
  CredentialOptions credentials;
  HiddenRequest hidden;  // size_text empty: none
};

// What the options come to.
struct CreatePlan {
  std::uint64_t bytes = 0;
  NewContainerName name;
  std::uint32_t sector_bytes = unit_bytes;
  const VolumeMaker* maker = nullptr;
  VolumeOptions options;                        // every choice made
  const FileSystemSpec* file_system = nullptr;  // null: none
};

int fail(const CreateOptions& options, const std::string& why, ExitStatus status) {
  return report_failure(options.file, why, status);
}

int fail(const CreateOptions& options, const Error& error) {
  return fail(options, container_error_text(options.file, error), exit_status_of(error.code));
}

// The sector size for the header: as the option says, or as the device has it.
std::optional<std::string> plan_sectors(const CreateOptions& options, CreatePlan* plan) {
  int own = unit_bytes;
  for (const std::string& path : plan->name.paths) {
    if (!plan->name.devices) break;
    int sector = 0;
    const FileDescriptor device(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!device || ioctl(device.get(), BLKSSZGET, &sector) != 0) {
      return error_text(error_from_errno("cannot read the sector size", errno));
    }
    own = std::max(own, sector);
  }
  plan->sector_bytes =
      options.sector_bytes != 0 ? options.sector_bytes : static_cast<std::uint32_t>(own);
  if (plan->sector_bytes < static_cast<std::uint32_t>(own)) {
    return fmt::format("--sector-size: the device has sectors of {} bytes", own);
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
      return fmt::format("--size: {}", size.error().context);
    }
    wanted = *size;
  }
  std::string which;
  const auto name = plan_new_container(options.file, &which);
  if (!name.ok()) {
    *status = exit_status_of(name.error().code);
    const std::string text = error_text(name.error());
    return which.empty() || which == options.file ? text : which + " " + text;
  }
  plan->name = *name;
  if (plan->name.devices) {
    if (wanted != 0) return "--size: a block device is used whole; leave --size out";
    if (const auto problem = plan_sectors(options, plan)) return problem;
    if (options.yes) return std::nullopt;
    return refuse_unless_confirmed("Everything on the device will be lost.");
  }
  if (wanted == 0) return "--size is needed, for example --size 100M";
  if (const auto problem = plan_sectors(options, plan)) return problem;
  const std::uint64_t multiple =
      std::max<std::uint64_t>(plan->name.chunk_bytes * plan->name.paths.size(), unit_bytes);
  plan->bytes = wanted / multiple * multiple;
  if (plan->bytes != wanted) {
    report_notice(
        fmt::format("--size: rounded down to {} bytes, a multiple of {}", plan->bytes, multiple));
  }
  const std::uint64_t least = plan->maker->min_container_bytes();
  if (plan->bytes < least) {
    return fmt::format("--size: too small: the smallest container has {} bytes", least);
  }
  const auto free = free_bytes_for(plan->name);
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
Status fill_container(BlockDevice& container, std::uint64_t header_bytes, bool quick) {
  const std::atomic<bool>& cancel = catch_interrupts();
  if (quick) {
    VOLT_TRY(fill_random(container, 0, header_bytes, cancel, {}));
    return fill_random(container, container.size() - header_bytes, header_bytes, cancel, {});
  }
  ProgressLine line;
  return fill_random(
      container, 0, container.size() / unit_bytes * unit_bytes, cancel,
      [&](std::uint64_t done) { line.show_bytes("filling", done, container.size()); });
}

// Headers and odd sizes need no alignment with buffered I/O.
Result<Container> open_for_making(const std::string& path, std::uint64_t min_bytes) {
  ContainerOptions access;
  access.direct = DirectIo::off;
  auto container = open_container(path, access);
  if (!container.ok()) return container.error();
  if (container->read_only) return Error{ErrorCode::read_only, 0, "cannot be written", 0};
  if (container->device->size() < min_bytes) {
    return Error{ErrorCode::wrong_file, 0, "too small for a container", container->device->size()};
  }
  return container;
}

Result<OpenedVolumePtr> make_volume(BlockDevice& container, const CreateOptions& options,
                                    const CreatePlan& plan, const Credentials& credentials) {
  VOLT_TRY(fill_container(container, plan.maker->header_area_bytes(), options.quick));
  NewVolume wanted;
  wanted.key = credentials.key();
  wanted.options = plan.options;
  wanted.sector_bytes = plan.sector_bytes;
  wanted.cancel = &catch_interrupts();
  return plan.maker->make(container, wanted);
}

Failure failure_of(const CreateOptions& options, const Error& error) {
  return {exit_status_of(error.code), options.file, container_error_text(options.file, error), {}};
}

// The volume, and the hidden one where it is asked for.
Outcome<OpenedVolumePtr> fill_and_format(const std::string& path, const CreateOptions& options,
                                         const CreatePlan& plan, const Credentials& credentials) {
  auto container = open_for_making(path, plan.maker->min_container_bytes());
  if (!container.ok()) return failure_of(options, container.error());
  auto volume = make_volume(*container->device, options, plan, credentials);
  if (!volume.ok()) return failure_of(options, volume.error());
  if (!options.hidden.size_text.empty()) {
    const auto hidden =
        make_hidden_volume(options.file, *container->device, **volume, false, options.hidden);
    if (!hidden) return hidden.failure();
  }
  const Status flushed = container->device->flush();
  if (!flushed.ok()) return failure_of(options, flushed.error());
  return *std::move(volume);
}

// A sentence where the file system asked for cannot be made.
std::optional<std::string> choose_file_system(const CreateOptions& options, CreatePlan* plan) {
  const std::string& name = options.file_system;
  bool known = false;
  plan->file_system = find_file_system(name, &known);
  if (!known) return fmt::format("--fs: unknown file system '{}'", name);
  if (plan->file_system != nullptr && !file_system_tool_exists(*plan->file_system)) {
    return fmt::format("--fs {}: {} is not installed", name, plan->file_system->program);
  }
  // Behind a FAT file system there is room; the others keep tables all over the volume.
  const bool in_front = plan->file_system == nullptr || name == "fat";
  if (!in_front && !options.hidden.size_text.empty() && !options.yes) {
    return fmt::format("--fs {} writes into the hidden volume as well; use fat, or add --yes",
                       name);
  }
  return std::nullopt;
}

// Makes the file system, if one is asked for, on the volume that was just made.
int finish_file_system(const CreateOptions& options, const CreatePlan& plan,
                       const Credentials& credentials, const std::vector<int>& files) {
  if (plan.file_system == nullptr) return exit_done;
  CredentialOptions named = options.credentials;  // what is known need not be tried
  named.format = plan.options.format;
  named.prf = plan.options.prf;
  named.cipher = plan.options.cipher;
  const auto problem =
      make_file_system(*plan.file_system, options.file, files, named, credentials.password());
  if (!problem) return exit_done;
  return fail(options, fmt::format("--fs {}: {}", options.file_system, *problem),
              interrupted() ? exit_interrupted : exit_wrong_device);
}

// A hidden volume in a container that exists.
int create_hidden(const CreateOptions& options) {
  const QuietTerminal quiet;
  if (options.hidden.size_text.empty()) {
    return fail(options, "--hidden needs --hidden-size", exit_wrong_parameters);
  }
  if (!options.file_system.empty()) {
    return fail(options, "--fs is for the outer volume; open the hidden one and make it there",
                exit_wrong_parameters);
  }
  if (!options.size_text.empty()) {
    return fail(options, "--hidden works inside an existing container: leave --size out",
                exit_wrong_parameters);
  }
  ContainerOptions access;
  access.direct = DirectIo::off;
  CredentialOptions outer_options = options.credentials;
  outer_options.hidden = false;
  int exit_status = exit_done;
  const auto outer = access_volume(options.file, access, outer_options,
                                   "Password of the outer volume: ", &exit_status);
  if (!outer) return exit_status;
  if (outer->volume->hidden) {
    return fail(options, "that is the hidden volume's password", exit_no_permission);
  }
  if (outer->container.read_only) return fail(options, "cannot be written", exit_wrong_device);
  const auto hidden = make_hidden_volume(options.file, *outer->container.device, *outer->volume,
                                         true, options.hidden);
  if (!hidden) return report_failure(hidden.failure());
  print_volume_facts(options.file, **hidden, outer->container_bytes(), options.json);
  return exit_done;
}

int create_on_device(const CreateOptions& options, const CreatePlan& plan,
                     const Credentials& credentials) {
  const auto volume = fill_and_format(options.file, options, plan, credentials);
  if (!volume) return report_failure(volume.failure());
  std::vector<FileDescriptor> devices;
  std::vector<int> files;
  std::uint64_t bytes = 0;
  for (const std::string& path : plan.name.paths) {
    devices.emplace_back(open(path.c_str(), O_RDWR | O_CLOEXEC));
    files.push_back(devices.back().get());
    const off_t end = lseek(files.back(), 0, SEEK_END);
    if (end < 0) return fail(options, error_from_errno("cannot open", errno));
    bytes += static_cast<std::uint64_t>(end) / plan.name.chunk_bytes * plan.name.chunk_bytes;
  }
  const int exit_status = finish_file_system(options, plan, credentials, files);
  if (exit_status != exit_done) return exit_status;
  print_volume_facts(options.file, **volume, bytes, options.json);
  return exit_done;
}

int create_file(const CreateOptions& options, const CreatePlan& plan,
                const Credentials& credentials) {
  auto made = NewContainer::create(plan.name, plan.bytes, !options.quick);
  if (!made.ok()) return fail(options, made.error());
  const std::vector<int> files = made->descriptors();
  const auto volume = fill_and_format(container_name_over(options.file, descriptor_paths(files)),
                                      options, plan, credentials);
  if (!volume) return report_failure(volume.failure());
  const int exit_status = finish_file_system(options, plan, credentials, files);
  if (exit_status != exit_done) return exit_status;
  if (interrupted()) return fail(options, {ErrorCode::cancelled, 0, "interrupted", 0});
  const Status published = made->publish();
  if (!published.ok()) return fail(options, published.error());
  print_volume_facts(options.file, **volume, plan.bytes, options.json);
  return exit_done;
}

Outcome<void> settle_format(const CreateOptions& options, CreatePlan* plan) {
  const auto maker = choose_maker(options.credentials.format);
  if (!maker) return maker.failure();
  auto settled = (*maker)->settle(volume_options(options.credentials));
  if (!settled) return settled.failure();
  plan->maker = *maker;
  plan->options = *std::move(settled);
  return {};
}

int create(const CreateOptions& options) {
  std::string why;
  const Status checked = check_credential_options(options.credentials, &why);
  if (!checked.ok()) return fail(options, why, exit_wrong_parameters);
  if (options.credentials.system || options.credentials.backup_header ||
      !options.credentials.header.empty() || !options.credentials.volume_key_file.empty()) {
    return fail(options,
                "--system, --backup-header, --header and --volume-key-file open volumes, they do "
                "not make one",
                exit_wrong_parameters);
  }
  if (options.credentials.hidden) return create_hidden(options);
  CreatePlan plan;
  if (const auto settled = settle_format(options, &plan); !settled) {
    const Failure& failure = settled.failure();
    return fail(options, failure.what + ": " + failure.why, failure.status);
  }
  if (const auto problem = choose_file_system(options, &plan)) {
    return fail(options, *problem, exit_wrong_parameters);
  }
  ExitStatus status = exit_wrong_parameters;
  if (const auto problem = plan_target(options, &plan, &status)) {
    return fail(options, *problem, status);
  }
  const QuietTerminal quiet;
  const auto credentials = ask_for_credentials(options.credentials, options.file,
                                               "New password: ", true, conversation());
  if (!credentials) return report_failure(credentials.failure());
  return plan.name.devices ? create_on_device(options, plan, *credentials)
                           : create_file(options, plan, *credentials);
}

}  // namespace

void add_create_command(Command& program) {
  auto options = std::make_shared<CreateOptions>();
  Command& command = program.add_command("create", "Make a new container");
  command.add("FILE", &options->file, "the new file, a stripe of new files, or a block device")
      .needed();
  command.add("--size", &options->size_text, "size of the container, for example 10G");
  command.add("--quick", &options->quick,
              "leave the data area as it is: a sparse file, made at once");
  command.add("--yes", &options->yes, "overwrite without asking");
  command.add("--json", &options->json, "print what was made as JSON");
  command.add("--fs", &options->file_system,
              "make a file system: ext4, ext2, fat, exfat, ntfs, xfs, btrfs or none");
  command
      .add("--sector-size", &options->sector_bytes,
           "sectors that the volume has; by default the device's, in files 512")
      .among({"512", "1024", "2048", "4096"});
  add_credential_options(command, &options->credentials);
  command.add("--hidden-size", &options->hidden.size_text,
              "make a hidden volume of this size; with --hidden inside an existing container");
  add_prefixed_credential_options(command, "hidden", true, &options->hidden.credentials);
  command.runs([options] {
    options->hidden.yes = options->yes;
    return create(*options);
  });
}

}  // namespace volt
