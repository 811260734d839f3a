#include "daemon/options.h"

#include <CLI/CLI.hpp>
#include <type_traits>
#include <variant>

#include "blockdev/exit_status.h"
#include "blockdev/host/option_values.h"
#include "crypto/kdf_spec.h"
#include "daemon/log.h"

namespace volt {
namespace {

void add_credentials(CLI::App& app, CredentialOptions* options, CredentialRole role) {
  const char* group = role == CredentialRole::opened ? "Opening" : "Protecting";
  for (const CredentialOptionRow& row : credential_option_rows()) {
    if (role == CredentialRole::protected_hidden && !row.for_protection) continue;
    const std::string name = credential_option_name(row, role);
    std::visit(
        [&](auto accessor) {
          auto& value = *accessor(*options);
          using Value = std::remove_reference_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, bool>) {
            app.add_flag(name, value, row.help)->group(group);
          } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            app.add_option(name, value, row.help)->expected(1)->take_all()->group(group);
          } else {
            CLI::Option* option = app.add_option(name, value, row.help)->group(group);
            // The one number among them is the PIM.
            if constexpr (std::is_same_v<Value, std::uint32_t>) {
              option->transform(whole_number(0, max_pim));
            }
          }
        },
        row.field);
  }
}

void add_serving(CLI::App& app, Options* options) {
  app.add_option("container", options->container, "file, partition or drive")->required();
  app.add_option("folder", options->mount_point, "empty folder to mount on")->required();
  app.add_flag("--foreground", options->foreground, "stay, and log to standard error");
  app.add_flag("--plain", options->plain, "no encryption: the file itself, the same way");
  app.add_flag("--read-only", options->read_only, "never write to the container");
  app.add_flag("--protect-hidden", options->protect_hidden,
               "refuse writes into the hidden volume; asks for its password too");
  app.add_option("--on-violation", options->on_violation,
                 "after a refused write: refuse (only such writes) or read-only (all writes)")
      ->transform(one_of({"refuse", "read-only"}));
  app.add_flag("--discard", options->discard, "pass TRIM and hole punching down");
  app.add_flag("--cache", options->cache, "let the kernel cache the decrypted volume");
  app.add_flag("--allow-other", options->allow_other, "other users may reach the volume");
  app.add_flag("--no-hw-aes", options->no_hw_aes, "do not use the processor's AES");
  app.add_flag("--require-locked-memory", options->require_locked_memory,
               "refuse to open where keys cannot be kept out of the swap space");
  app.add_flag("--testing", options->testing,
               "allow simulated disks as containers: model: and fault:");
  app.add_option("--threads", options->threads, "requests served at once")
      ->transform(whole_number(1, max_threads));
  app.add_option("--io", options->io_name, "container's transfers: auto, threads or io_uring")
      ->transform(one_of({"auto", "threads", "io_uring"}));
  app.add_option("--direct", options->direct_name, "O_DIRECT on the container: auto, on or off")
      ->transform(one_of({"auto", "on", "off"}));
  app.add_flag("--hold-writes", options->hold_writes)->group("");
  app.add_option("--kernel", options->kernel, "force a cipher kernel")->group("");
  app.add_option("--called-as", options->called_as, "program name in messages")->group("");
}

IoEngine io_engine_of(const std::string& name) noexcept {
  if (name == "threads") return IoEngine::threads;
  return name == "io_uring" ? IoEngine::io_uring : IoEngine::automatic;
}

DirectIo direct_of(const std::string& name) noexcept {
  if (name == "on") return DirectIo::on;
  return name == "off" ? DirectIo::off : DirectIo::automatic;
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int* exit_status) {
  Options options;
  CLI::App app{"Serve a TrueCrypt or VeraCrypt volume, decrypted, as FOLDER/volume", "voltd"};
  app.set_version_flag("--version", VOLT_VERSION);
  add_serving(app, &options);
  add_credentials(app, &options.credentials, CredentialRole::opened);
  add_credentials(app, &options.hidden_credentials, CredentialRole::protected_hidden);
  settle_option_values(&app);
  *exit_status = exit_wrong_parameters;
  try {
    app.parse(argc, argv);
    options.direct = direct_of(options.direct_name);
    options.io_engine = io_engine_of(options.io_name);
    return options;
  } catch (const CLI::Success& success) {  // --help, --version
    *exit_status = app.exit(success);
  } catch (const CLI::ExtrasError&) {  // not repeated: someone may have typed a password
    log_error("command line: an argument was not expected (see voltd --help)");
  } catch (const CLI::ParseError& error) {
    log_error(std::string("command line: ") + error.what());
  }
  return std::nullopt;
}

}  // namespace volt
