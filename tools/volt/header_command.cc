// volt header backup and volt header restore.
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "blockdev/backing/storage_users.h"
#include "blockdev/formats/veracrypt/volume_care.h"
#include "blockdev/host/command_line.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/exit_status.h"
#include "blockdev/host/tty_prompt.h"
#include "blockdev/stack/credential_rows.h"
#include "tools/common/interrupt.h"
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
  std::optional<AccessedVolume> hidden;
  VolumeSecret hidden_secret;
  if (options.with_hidden) {
    CredentialOptions asked = options.hidden;
    asked.hidden = true;
    asked.header = options.credentials.header;
    hidden =
        access_volume(options.file, access, asked, "Password of the hidden volume: ", &exit_status);
    if (!hidden) return exit_status;
    hidden_secret = secret_of(*hidden);
  }
  const auto bytes =
      make_header_backup(outer->volume, secret_of(*outer), hidden ? &hidden->volume : nullptr,
                         hidden ? &hidden_secret : nullptr);
  if (!bytes.ok()) return fail(options.file, bytes.error());
  auto output = NewFile::create(options.backup_file);
  if (!output.ok()) return fail(options.backup_file, output.error());
  Status status = output->write(*bytes);
  if (status.ok()) status = output->publish();
  if (!status.ok()) return fail(options.backup_file, status.error());
  if (options.json) {
    print_volume_facts(
        {options.file, outer->volume, outer->container.device->size(), options.credentials.header},
        true);
  }
  return exit_done;
}

int restore(const HeaderOptions& options) {
  const bool embedded = options.backup_file.empty();
  if (!options.credentials.header.empty()) {
    return report_failure(options.file,
                          "--header: name the file to restore from behind the container",
                          exit_wrong_parameters);
  }
  if (const auto problem = not_a_file_name(options.backup_file)) {
    return report_failure(options.backup_file, *problem, exit_wrong_parameters);
  }
  if (!options.yes) {
    const auto refused = refuse_unless_confirmed(
        fmt::format("The header will be replaced by {}.",
                    embedded ? "its own backup" : "the one from " + options.backup_file));
    if (refused) return report_failure(options.file, *refused, exit_wrong_parameters);
  }
  ContainerOptions access;
  access.direct = DirectIo::off;
  auto container = open_container(options.file, access);
  if (!container.ok()) return fail(options.file, container.error());
  if (container->read_only) {
    return report_failure(options.file, "cannot be written", exit_wrong_device);
  }
  if (container->device->size() < header_bytes) {
    return report_failure(options.file, "too short to be a volume", exit_wrong_device);
  }
  std::optional<Result<Container>> source;
  if (!embedded) {
    access.read_only = true;
    source.emplace(open_container(options.backup_file, access));
    if (!source->ok()) return fail(options.backup_file, source->error());
  }
  std::string why;
  const QuietTerminal quiet;
  catch_interrupts();
  std::vector<std::string> notices;
  const auto credentials =
      Credentials::gather(options.credentials, "Password of the header: ", false, &why, &notices);
  for (const std::string& notice : notices) report_notice(notice);
  if (!credentials.ok()) {
    return report_failure(options.file, why, exit_status_of(credentials.error().code));
  }
  UnlockRequest request = credentials->request();
  request.cancel = &catch_interrupts();
  UnlockReport report;
  ProgressLine line;
  show_progress(&request, &line);
  const auto restored = restore_header(
      *container->device, embedded ? nullptr : (**source).device.get(), request, &report);
  line.clear();
  if (!restored.ok()) {
    const bool own = embedded || report.expected_container_bytes != 0;  // whose fault it is
    const std::string& source_name = own ? options.file : options.backup_file;
    const UnlockAttempt attempt{source_name, embedded ? container->device.get() : nullptr,
                                options.credentials.verbose};
    return report_unlock_failure(
        source_name, explain_unlock_failure(restored.error(), report, request, attempt));
  }
  if (const auto lost = container_lost(*container)) {
    return report_failure(options.file, *lost, exit_wrong_device);
  }
  report_notice(fmt::format("{}: header of the {} volume restored", options.file,
                            restored->hidden() ? "hidden" : "outer"));
  if (options.json) {
    print_volume_facts({options.file, *restored, container->device->size()}, true);
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
  restoring.add("--yes", &restore_options->yes, "replace without asking");
  restoring.add("--json", &restore_options->json, "print what it is now as JSON");
  add_credential_options(restoring, &restore_options->credentials);
  restoring.runs([restore_options] { return restore(*restore_options); });
}

}  // namespace volt
