// volt expand: a larger container, and the volume with it.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "blockdev/host/command_line.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/exit_status.h"
#include "blockdev/stack/credential_rows.h"
#include "tools/common/interrupt.h"
#include "tools/common/new_file.h"
#include "tools/common/progress_line.h"
#include "tools/common/random_fill.h"
#include "tools/common/report.h"
#include "tools/common/size_text.h"
#include "tools/volt/commands.h"
#include "tools/volt/volume_access.h"
#include "tools/volt/volume_facts.h"

namespace volt {
namespace {

struct ExpandOptions {
  std::string file;
  std::string size_text;
  bool quick = false;
  bool json = false;
  CredentialOptions credentials;
};

int fail(const ExpandOptions& options, const std::string& why, ExitStatus status) {
  return report_failure(options.file, why, status);
}

int fail(const ExpandOptions& options, const Error& error) {
  return fail(options, error_text(error), exit_status_of(error.code));
}

// Sets the file's length. The old backup headers stay where they are until new ones stand, so a
// cut here leaves a volume with bytes appended, which still opens.
Status grow_file(const FileDevice& file, std::uint64_t bytes) {
  if (ftruncate(file.descriptor(), static_cast<off_t>(bytes)) != 0) {
    return error_from_errno("cannot grow the file", errno);
  }
  return {};
}

// A sentence where the container is not one file that can be made longer.
std::optional<std::string> cannot_grow(const Container& container) {
  if (container.files.size() != 1) {
    return "is a stripe: its members cannot be made larger by this command";
  }
  struct stat info {};
  if (fstat(container.files.front()->descriptor(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return "only a file can be made larger, not a block device";
  }
  return std::nullopt;
}

Status fill_growth(BlockDevice& container, std::uint64_t from, bool quick) {
  if (quick) return {};
  ProgressLine line;
  const std::uint64_t length = (container.size() - from) / unit_bytes * unit_bytes;
  return fill_random(container, from, length, catch_interrupts(),
                     [&](std::uint64_t done) { line.show_bytes("filling", done, length); });
}

int expand(const ExpandOptions& options) {
  const auto wanted = parse_size(options.size_text);
  if (!wanted.ok()) {
    return fail(options, fmt::format("--size: {}", wanted.error().context), exit_wrong_parameters);
  }
  const std::uint64_t new_bytes = *wanted / unit_bytes * unit_bytes;
  if (!options.credentials.header.empty()) {
    return fail(options, "--header: growing changes the headers inside; restore the header first",
                exit_wrong_parameters);
  }
  ContainerOptions access;
  access.direct = DirectIo::off;
  int exit_status = exit_done;
  auto opened =
      access_volume(options.file, access, options.credentials, "Password: ", &exit_status);
  if (!opened) return exit_status;
  if (opened->container.read_only) return fail(options, "cannot be written", exit_wrong_device);
  const VolumeCare* care = care_of(*opened, options.file, "growing", &exit_status);
  if (care == nullptr) return exit_status;
  // After an earlier attempt that was cut off the file is larger than its header says.
  const std::uint64_t file_bytes = opened->container.device->size();
  const std::uint64_t old_bytes = care->container_bytes(*opened->volume);
  if (new_bytes < file_bytes || new_bytes <= old_bytes) {
    return fail(options, fmt::format("--size: the container has {} bytes already", file_bytes),
                exit_wrong_parameters);
  }
  if (const auto problem = cannot_grow(opened->container)) {
    return fail(options, *problem, exit_wrong_device);
  }
  const FileDevice& file = *opened->container.files.front();
  const auto free = free_bytes_beside(file.path());
  if (!options.quick && free.ok() && *free < new_bytes - file_bytes) {
    return fail(options,
                fmt::format("no space: {} are needed, {} are free",
                            format_size(new_bytes - file_bytes), format_size(*free)),
                exit_wrong_device);
  }
  const Status grown = grow_file(file, new_bytes);
  if (!grown.ok()) return fail(options, grown.error());
  // Once more, since the size was read when it was opened: the same file, whatever has its name
  // now, under the first one's lock.
  access.lock = false;
  auto container = open_container(fmt::format("/proc/self/fd/{}", file.descriptor()), access);
  if (!container.ok()) return fail(options, container.error());
  const Status filled = fill_growth(*container->device, old_bytes, options.quick);
  if (!filled.ok()) return fail(options, filled.error());
  const auto expanded = care->expand(*container->device, *opened->volume, opened->credentials.key(),
                                     conversation().cancel);
  if (!expanded.ok()) return fail(options, expanded.error());
  const auto lost = container_lost(opened->container);
  if (lost) return fail(options, *lost, exit_wrong_device);
  print_volume_facts(options.file, **expanded, new_bytes, options.json);
  report_notice("the volume has grown; its file system must be grown by its own tool");
  return exit_done;
}

}  // namespace

void add_expand_command(Command& program) {
  auto options = std::make_shared<ExpandOptions>();
  Command& command = program.add_command("expand", "Make a container and its volume larger");
  command.add("FILE", &options->file, "the container").needed();
  command.add("--size", &options->size_text, "new size of the container").needed();
  command.add("--quick", &options->quick, "leave the new part sparse");
  command.add("--json", &options->json, "print what it is now as JSON");
  add_credential_options(command, &options->credentials);
  command.runs([options] { return expand(*options); });
}

}  // namespace volt
