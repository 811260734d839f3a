// volt header backup and volt header restore.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "blockdev/formats/formats.h"
#include "blockdev/host/command_line.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/exit_status.h"
#include "blockdev/host/tty_prompt.h"
#include "blockdev/stack/credential_rows.h"
#include "blockdev/stack/storage_users.h"
#include "tools/common/new_file.h"
#include "tools/common/report.h"
#include "tools/volt/commands.h"
#include "tools/volt/volume_access.h"
#include "tools/volt/volume_facts.h"

namespace volt {
namespace {

struct HeaderOptions {
  std::string file;
  std::string backup_file;
  std::string keep_file;  // where the replaced header goes; empty: beside the container
  bool with_hidden = false;
  bool yes = false;
  bool json = false;
  CredentialOptions credentials;
  CredentialOptions hidden;
};

int fail(const std::string& what, const Error& error) {
  return report_failure(what, container_error_text(what, error), exit_status_of(error.code));
}

int backup(const HeaderOptions& options) {
  if (const auto problem = not_a_file_name(options.backup_file)) {
    return report_failure(options.backup_file, *problem, exit_wrong_parameters);
  }
  // Only read, and nothing moves: also from read-only media and while the volume is open.
  ContainerOptions access;
  access.read_only = true;
  access.lock = false;
  int exit_status = exit_done;
  const auto outer =
      access_volume(options.file, access, options.credentials, "Password: ", &exit_status);
  if (!outer) return exit_status;
  const VolumeCare* care = care_of(*outer, options.file, "header backup", &exit_status);
  if (care == nullptr) return exit_status;
  std::optional<AccessedVolume> hidden;
  if (options.with_hidden) {
    CredentialOptions asked = options.hidden;
    asked.hidden = true;
    asked.header = options.credentials.header;
    hidden =
        access_volume(options.file, access, asked, "Password of the hidden volume: ", &exit_status);
    if (!hidden) return exit_status;
  }
  const auto bytes = care->back_up_headers(
      *outer->volume, outer->credentials.key(), hidden ? hidden->volume.get() : nullptr,
      hidden ? hidden->credentials.key() : KeySource(), conversation().cancel);
  if (!bytes.ok()) return fail(options.file, bytes.error());
  auto output = NewFile::create(options.backup_file);
  if (!output.ok()) return fail(options.backup_file, output.error());
  Status status = output->write(*bytes);
  if (status.ok()) status = output->publish();
  if (!status.ok()) return fail(options.backup_file, status.error());
  if (options.json) {
    print_volume_facts(options.file, *outer->volume, outer->container_bytes(), true);
  }
  return exit_done;
}

// Which format a header is restored of: the one named, or the first that restores any. A damaged
// container tells nothing itself.
const VolumeCare* care_for_restoring(const std::string& format_name) {
  if (!format_name.empty()) return find_format(format_name)->care();
  for (const Format* format : all_formats()) {
    if (format->care() != nullptr) return format->care();
  }
  return nullptr;
}

// A failure where the options make no sense, or the user does not mean it.
Outcome<const VolumeCare*> check_restoring(const HeaderOptions& options) {
  const auto refuse = [](const std::string& what, std::string why) {
    return Failure{exit_wrong_parameters, what, std::move(why), {}};
  };
  std::string why;
  if (!options.credentials.header.empty()) {
    return refuse(options.file, "--header: name the file to restore from behind the container");
  }
  if (const auto problem = not_a_file_name(options.backup_file)) {
    return refuse(options.backup_file, *problem);
  }
  if (!check_credential_options(options.credentials, &why)) return refuse(options.file, why);
  const VolumeCare* care = care_for_restoring(options.credentials.format);
  if (care == nullptr) {
    return refuse(options.file, options.credentials.format + " volumes have no header backup");
  }
  if (options.yes) return care;
  const auto refused = refuse_unless_confirmed(fmt::format(
      "The header will be replaced by {}.",
      options.backup_file.empty() ? "its own backup" : "the one from " + options.backup_file));
  if (refused) return refuse(options.file, *refused);
  return care;
}

// The headers that stand at the container's beginning, as they are: a wrong backup can be undone.
Result<std::vector<std::uint8_t>> read_replaced(const Container& container,
                                                const VolumeCare& care) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(
      std::min<std::uint64_t>(care.max_detached_bytes(), container.device->size())));
  VOLT_TRY(container.device->read(0, bytes));
  return bytes;
}

// Names beside the container, of which the first that nothing has is taken; none for disks, whose
// folder keeps no files.
std::vector<std::string> names_to_keep(const HeaderOptions& options, const Container& container) {
  if (!options.keep_file.empty()) return {options.keep_file};
  struct stat info {};
  if (container.files.size() != 1 || fstat(container.files.front()->descriptor(), &info) != 0 ||
      !S_ISREG(info.st_mode)) {
    return {};
  }
  constexpr int most_names = 100;
  std::vector<std::string> names;
  for (int i = 1; i <= most_names; ++i) {
    std::string name = container.files.front()->path() + ".replaced-header";
    if (i > 1) name += fmt::format("-{}", i);
    names.push_back(std::move(name));
  }
  return names;
}

void keep_replaced(const HeaderOptions& options, const Container& container,
                   const std::vector<std::uint8_t>& bytes) {
  std::string why = "name a file with --keep";
  for (const std::string& name : names_to_keep(options, container)) {
    auto file = NewFile::create(name);
    Status status = file.ok() ? file->write(bytes) : Status(file.error());
    if (status.ok()) status = file->publish();
    if (status.ok()) {
      report_notice(name +
                    ": the header that was replaced; delete it when the volume opens as it "
                    "should");
      return;
    }
    why = name + ": " + error_text(status.error());
    if (status.error().sys_errno != EEXIST) break;
  }
  report_notice(options.file + ": the header that was replaced is not kept: " + why);
}

int restore(const HeaderOptions& options) {
  const auto care = check_restoring(options);
  if (!care) return report_failure(care.failure());
  ContainerOptions access;
  access.direct = DirectIo::off;
  auto container = open_container(options.file, access);
  if (!container.ok()) return fail(options.file, container.error());
  if (container->read_only) {
    return report_failure(options.file, "cannot be written", exit_wrong_device);
  }
  std::optional<Container> source;
  std::optional<NamedContainer> backup;
  if (!options.backup_file.empty()) {
    access.read_only = true;
    auto opened = open_container(options.backup_file, access);
    if (!opened.ok()) return fail(options.backup_file, opened.error());
    source = *std::move(opened);
    backup.emplace(named_container(*source->device, options.backup_file));
  }
  const QuietTerminal quiet;
  const auto credentials = ask_for_credentials(options.credentials, options.file,
                                               "Password of the header: ", false, conversation());
  if (!credentials) return report_failure(credentials.failure());
  const auto kept = read_replaced(*container, **care);
  if (!kept.ok()) return fail(options.file, kept.error());
  const auto restored =
      with_progress(credentials->request(), conversation(), [&](const OpenRequest& request) {
        return (*care)->restore_headers(named_container(*container->device, options.file),
                                        backup ? &*backup : nullptr, request);
      });
  if (!restored) return report_failure(restored.failure());
  keep_replaced(options, *container, *kept);
  if (const auto lost = container_lost(*container)) {
    return report_failure(options.file, *lost, exit_wrong_device);
  }
  report_notice(fmt::format("{}: header of the {} volume restored", options.file,
                            (*restored)->hidden ? "hidden" : "outer"));
  if (options.json) {
    print_volume_facts(options.file, **restored, container->device->size(), true);
  }
  return exit_done;
}

}  // namespace

void add_header_command(Command& program) {
  Command& header = program.add_command("header", "Keep and restore headers");

  auto backup_options = std::make_shared<HeaderOptions>();
  Command& command = header.add_command("backup", "Write the headers to a file of their own");
  command.add("FILE", &backup_options->file, "the container").needed();
  command.add("BACKUP", &backup_options->backup_file, "the new file").needed();
  command.add("--with-hidden", &backup_options->with_hidden,
              "the hidden volume's header too (asks for its password)");
  command.add("--json", &backup_options->json, "print what the container is as JSON");
  add_credential_options(command, &backup_options->credentials);
  add_prefixed_credential_options(command, "hidden", true, &backup_options->hidden);
  command.runs([backup_options] { return backup(*backup_options); });

  auto restore_options = std::make_shared<HeaderOptions>();
  Command& restoring = header.add_command("restore", "Put a header back");
  restoring.add("FILE", &restore_options->file, "the container").needed();
  restoring.add("BACKUP", &restore_options->backup_file,
                "the backup file; left out: the backup inside the container");
  restoring.add("--keep", &restore_options->keep_file,
                "write the header that is replaced to this new file (by default beside a file)");
  restoring.add("--yes", &restore_options->yes, "replace without asking");
  restoring.add("--json", &restore_options->json, "print what it is now as JSON");
  add_credential_options(restoring, &restore_options->credentials);
  restoring.runs([restore_options] { return restore(*restore_options); });
}

}  // namespace volt
