// volt open FILE DIR: starts voltd and returns when DIR/volume is ready.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "blockdev/error_text.h"
#include "blockdev/exit_status.h"
#include "tools/commands.h"
#include "tools/credential_options.h"
#include "tools/report.h"
#include "tools/voltd_process.h"

namespace volt {
namespace {

struct OpenOptions {
  std::string container;
  std::string mount_point;
  CredentialOptions credentials;
  bool read_only = false;
  bool plain = false;
  bool discard = false;
  bool cache = false;
  bool allow_other = false;
  bool no_hw_aes = false;
  unsigned threads = 0;
  std::string direct = "auto";
  std::string kernel;
};

std::vector<std::string> voltd_arguments(const OpenOptions& options) {
  std::vector<std::string> out = {"--called-as=volt"};
  const auto flag = [&out](bool set, const char* name) {
    if (set) out.emplace_back(name);
  };
  flag(options.read_only, "--read-only");
  flag(options.plain, "--plain");
  flag(options.discard, "--discard");
  flag(options.cache, "--cache");
  flag(options.allow_other, "--allow-other");
  flag(options.no_hw_aes, "--no-hw-aes");
  if (options.threads != 0) out.push_back("--threads=" + std::to_string(options.threads));
  if (options.direct != "auto") out.push_back("--direct=" + options.direct);
  if (!options.kernel.empty()) out.push_back("--kernel=" + options.kernel);
  for (std::string& argument : credential_arguments(options.credentials)) {
    out.push_back(std::move(argument));
  }
  out.emplace_back("--");
  out.push_back(options.container);
  out.push_back(options.mount_point);
  return out;
}

int run_open(const OpenOptions& options) {
  const auto voltd = find_voltd();
  if (!voltd) return report_failure("open", error_text(voltd.error()), exit_wrong_device);
  const auto status = run_voltd(*voltd, voltd_arguments(options));
  if (!status) {
    return report_failure(*voltd, error_text(status.error()), exit_status_of(status.error().code));
  }
  return *status;
}

}  // namespace

void register_open_command(CLI::App& app, int* exit_status) {
  CLI::App* command = app.add_subcommand("open", "open a container below a folder");
  auto options = std::make_shared<OpenOptions>();
  command->add_option("container", options->container, "file, partition or drive")->required();
  command->add_option("folder", options->mount_point, "empty folder to mount on")->required();
  command->add_flag("--read-only", options->read_only, "never write to the container");
  command->add_flag("--plain", options->plain, "no encryption: the file itself, the same way");
  command->add_flag("--discard", options->discard, "pass TRIM and hole punching down");
  command->add_flag("--cache", options->cache, "let the kernel cache the decrypted volume");
  command->add_flag("--allow-other", options->allow_other, "other users may reach the volume");
  command->add_flag("--no-hw-aes", options->no_hw_aes, "do not use the processor's AES");
  command->add_option("--threads", options->threads, "threads that serve requests")
      ->check(CLI::Range(1U, 256U));
  command->add_option("--direct", options->direct, "O_DIRECT on the container: auto, on or off")
      ->check(CLI::IsMember({"auto", "on", "off"}));
  command->add_option("--kernel", options->kernel, "force a cipher kernel")->group("");
  add_credential_options(*command, &options->credentials);
  command->callback([options, exit_status] { *exit_status = run_open(*options); });
}

}  // namespace volt
