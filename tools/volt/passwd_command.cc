// volt passwd: a new password, PIM, PRF or key files; the data stays as it is.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blockdev/host/command_line.h"
#include "blockdev/host/exit_status.h"
#include "blockdev/host/tty_prompt.h"
#include "blockdev/stack/credential_rows.h"
#include "tools/common/new_file.h"
#include "tools/common/report.h"
#include "tools/volt/commands.h"
#include "tools/volt/volume_access.h"
#include "tools/volt/volume_facts.h"

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

// A detached header changes in its own file; the container is not touched.
Outcome<void> change_detached(const std::string& path, const VolumeCare& care, OpenedVolume* volume,
                              const KeyChange& change) {
  ContainerOptions access;
  access.read_only = true;
  access.direct = DirectIo::off;
  const auto file = open_container(path, access);
  if (!file.ok()) return Failure::of(path, file.error());
  const std::uint64_t size = file->device->size();
  if (size > care.max_detached_bytes()) {
    return Failure{exit_wrong_device, path, "--header: not a header backup but a larger file", {}};
  }
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  if (const Status read = file->device->read(0, bytes); !read) {
    return Failure::of(path, read.error());
  }
  if (auto changed = care.change_detached_key(bytes, path, volume, change); !changed) {
    return changed;
  }
  if (const Status written = replace_file(path, bytes); !written) {
    return Failure::of(path, written.error());
  }
  return {};
}

// The new secret, asked for as far as the options leave it open.
Outcome<std::optional<Credentials>> new_credentials(const PasswdOptions& options) {
  if (options.keep_password) return std::optional<Credentials>();
  auto asked = ask_for_credentials(options.new_secret, options.file, "New password: ",
                                   /*confirm=*/true, conversation());
  if (!asked) return asked.failure();
  return std::optional<Credentials>(*std::move(asked));
}

// With --keep-password: other key files alone.
Outcome<std::optional<KeyfilePool>> new_keyfiles(const PasswdOptions& options) {
  if (!options.keep_password || options.new_secret.keyfiles.empty()) {
    return std::optional<KeyfilePool>();
  }
  std::string which;
  std::vector<std::string> notices;
  auto pool = read_keyfiles(options.new_secret.keyfiles, &which, &notices);
  for (const std::string& notice : notices) report_notice(notice);
  if (!pool) return Failure::of(which, pool.error());
  return std::optional<KeyfilePool>(*std::move(pool));
}

int change(const PasswdOptions& options, const VolumeCare& care, AccessedVolume* opened) {
  OpenedVolume* volume = opened->volume.get();
  if (auto possible = care.check_new_prf(*volume, options.new_secret.prf); !possible) {
    const Failure& failure = possible.failure();
    return fail(options.file, failure.what + ": " + failure.why, failure.status);
  }
  const auto asked = new_credentials(options);
  if (!asked) return report_failure(asked.failure());
  const auto pool = new_keyfiles(options);
  if (!pool) return report_failure(pool.failure());

  KeyChange change;
  change.old_key = change.new_key = opened->credentials.key();
  if (*asked) {
    change.new_key.password = (*asked)->key().password;
    if (!options.new_secret.keyfiles.empty()) change.new_key.keyfiles = (*asked)->key().keyfiles;
  }
  if (*pool) change.new_key.keyfiles = &**pool;
  if (options.drop_keyfiles) change.new_key.keyfiles = nullptr;
  change.new_prf = options.new_secret.prf;
  change.new_pim = options.new_pim_given || options.new_secret.ask_pim;
  change.new_key.pim = *asked ? (*asked)->key().pim : options.new_secret.pim;
  change.cancel = conversation().cancel;
  const auto changed =
      options.old_secret.header.empty()
          ? care.change_key(named_container(*opened->container.device, options.file), volume,
                            change)
          : change_detached(options.old_secret.header, care, volume, change);
  if (!changed) {
    return fail(options.file, changed.failure().why, changed.failure().status);
  }
  if (const auto lost = container_lost(opened->container)) {
    return fail(options.file, *lost, exit_wrong_device);
  }
  if (options.json) {
    print_volume_facts(options.file, *volume, opened->container_bytes(), true);
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
  if (options.keep_password && options.new_secret.ask_pim) {
    return fail(options.file, "--keep-password and --new-ask-pim exclude each other",
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
  const VolumeCare* care = care_of(*opened, options.file, "change of password", &exit_status);
  return care == nullptr ? exit_status : change(options, *care, &*opened);
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
