// volt passwd: a new password, PIM, PRF or key files; the data stays as it is.
#include <memory>
#include <string>
#include <vector>

#include "blockdev/credential_rows.h"
#include "blockdev/error_text.h"
#include "blockdev/exit_status.h"
#include "blockdev/host/command_line.h"
#include "blockdev/tty_prompt.h"
#include "blockdev/volume_care.h"
#include "tools/commands.h"
#include "tools/new_file.h"
#include "tools/report.h"
#include "tools/volume_access.h"
#include "tools/volume_facts.h"

namespace volt {
namespace {

struct PasswdOptions {
  std::string file;
  bool keep_password = false;
  bool drop_keyfiles = false;
  bool json = false;
  CredentialOptions old_secret;
  CredentialOptions new_secret;
  bool new_pim_given = false;
};

int fail(const std::string& file, const std::string& why, ExitStatus status) {
  return report_failure(file, why, status);
}

// The new row of the KDF table: the volume's own, or the one named.
const KdfSpec* new_kdf(const PasswdOptions& options, const UnlockedVolume& volume) {
  if (options.new_secret.prf.empty()) return volume.kdf;
  PrfId prf{};
  if (!parse_prf(options.new_secret.prf, &prf)) return nullptr;
  const KdfSpec* kdf = find_kdf(volume.header.format, prf, volume.kdf->system);
  return kdf != nullptr && kdf->creatable ? kdf : nullptr;
}

// A detached header changes in its own file; the container is not touched.
Status change_detached(const std::string& path, const UnlockedVolume& volume,
                       const VolumeSecret& old_secret, const VolumeSecret& new_secret) {
  ContainerOptions access;
  access.read_only = true;
  access.direct = DirectIo::off;
  const auto file = open_container(path, access);
  if (!file.ok()) return file.error();
  const std::uint64_t size = file->device->size();
  if (size > header_group_bytes) {
    return Error{ErrorCode::wrong_file, 0, "--header: not a header backup but a larger file", size};
  }
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  VOLT_TRY(file->device->read(0, bytes));
  VOLT_TRY(change_backup_secret(bytes, volume, old_secret, new_secret));
  return replace_file(path, bytes);
}

int change(const PasswdOptions& options, AccessedVolume* opened) {
  const VolumeSecret old_secret = secret_of(*opened);
  VolumeSecret new_secret = old_secret;
  new_secret.kdf = new_kdf(options, opened->volume);
  if (new_secret.kdf == nullptr) {
    return fail(options.file, "--new-prf: this volume's format does not have it",
                exit_wrong_parameters);
  }
  if (options.new_pim_given) new_secret.pim = options.new_secret.pim;

  CredentialOptions asked = options.new_secret;
  asked.password.empty_allowed = options.keep_password;
  std::string why;
  std::vector<std::string> notices;
  std::optional<Result<Credentials>> gathered;
  if (!options.keep_password) {
    gathered.emplace(Credentials::gather(asked, "New password: ", true, &why, &notices));
    for (const std::string& notice : notices) report_notice(notice);
    if (!gathered->ok()) {
      return fail(options.file, why, exit_status_of(gathered->error().code));
    }
    new_secret.password = (**gathered).password();
    if (!asked.keyfiles.empty()) new_secret.keyfiles = (**gathered).keyfiles();
  }
  std::optional<Result<KeyfilePool>> pool;
  if (options.keep_password && !asked.keyfiles.empty()) {
    std::string which;
    pool.emplace(read_keyfiles(asked.keyfiles, &which, &notices));
    for (const std::string& notice : notices) report_notice(notice);
    if (!pool->ok()) {
      return fail(which, error_text(pool->error()), exit_status_of(pool->error().code));
    }
    new_secret.keyfiles = &**pool;
  }
  if (options.drop_keyfiles) new_secret.keyfiles = nullptr;

  const Status changed =
      options.old_secret.header.empty()
          ? change_secret(*opened->container.device, opened->volume, old_secret, new_secret)
          : change_detached(options.old_secret.header, opened->volume, old_secret, new_secret);
  if (!changed.ok()) {
    return fail(options.file, error_text(changed.error()), exit_status_of(changed.error().code));
  }
  if (const auto lost = container_lost(opened->container)) {
    return fail(options.file, *lost, exit_wrong_device);
  }
  if (options.json) {
    UnlockedVolume& volume = opened->volume;
    volume.kdf = new_secret.kdf;
    volume.pim = new_secret.pim;
    print_volume_facts(
        {options.file, volume, opened->container.device->size(), options.old_secret.header}, true);
  }
  return exit_done;
}

int passwd(const PasswdOptions& options) {
  const QuietTerminal quiet;
  std::string why;
  if (!check_credential_options(options.new_secret, &why).ok()) {
    return fail(options.file, "new secret: " + why, exit_wrong_parameters);
  }
  if (options.drop_keyfiles && !options.new_secret.keyfiles.empty()) {
    return fail(options.file, "--drop-keyfiles and --new-keyfile exclude each other",
                exit_wrong_parameters);
  }
  const bool detached = !options.old_secret.header.empty();
  ContainerOptions access;
  access.direct = DirectIo::off;
  access.read_only = detached;
  int exit_status = exit_done;
  auto opened =
      access_volume(options.file, access, options.old_secret, "Present password: ", &exit_status);
  if (!opened) return exit_status;
  if (opened->container.read_only && !detached) {
    return fail(options.file, "cannot be written", exit_wrong_device);
  }
  return change(options, &*opened);
}

}  // namespace

void add_passwd_command(Command& program) {
  auto options = std::make_shared<PasswdOptions>();
  Command& command = program.add_command("passwd", "Change password, PIM, PRF or key files");
  command.add("FILE", &options->file, "the container").needed();
  command.add("--keep-password", &options->keep_password, "change only what else is named");
  command.add("--drop-keyfiles", &options->drop_keyfiles, "no key files from now on");
  command.add("--json", &options->json, "print what it is now as JSON");
  add_credential_options(command, &options->old_secret);
  add_prefixed_credential_options(command, "new", false, &options->new_secret);
  command.find("--new-pim")->tells(&options->new_pim_given);
  command.runs([options] { return passwd(*options); });
}

}  // namespace volt
