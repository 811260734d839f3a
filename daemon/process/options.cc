#include "daemon/process/options.h"

#include <charconv>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "blockdev/stack/container_spec.h"
#include "daemon/serve/log.h"

namespace volt {

DirectIo Options::direct_io() const noexcept {
  if (direct == "on") return DirectIo::on;
  return direct == "off" ? DirectIo::off : DirectIo::automatic;
}

IoEngine Options::io_engine() const noexcept {
  if (io == "threads") return IoEngine::threads;
  return io == "io_uring" ? IoEngine::io_uring : IoEngine::automatic;
}

std::vector<int> inherited_descriptors(const Options& options) {
  constexpr std::string_view by_descriptor = "/proc/self/fd/";
  std::vector<int> out = {options.credentials.password.fd, options.hidden_credentials.password.fd,
                          options.ready_fd, options.while_fd};
  std::vector<std::string> names = container_paths(options.container);
  for (const CredentialOptions* credentials : {&options.credentials, &options.hidden_credentials}) {
    names.insert(names.end(), credentials->keyfiles.begin(), credentials->keyfiles.end());
    for (const std::string* name :
         {&credentials->password.file, &credentials->header, &credentials->volume_key_file}) {
      names.push_back(*name);
    }
  }
  for (std::string_view name : names) {
    for (const std::string_view folder : {by_descriptor, std::string_view("/dev/fd/")}) {
      if (!name.starts_with(folder)) continue;
      name.remove_prefix(folder.size());
      int fd = -1;
      if (std::from_chars(name.data(), name.data() + name.size(), fd).ec == std::errc{}) {
        out.push_back(fd);
      }
      break;
    }
  }
  return out;
}

std::optional<Options> parse_options(int argc, char** argv, int* exit_status) {
  Options options;
  Command program("voltd", "Serve a TrueCrypt or VeraCrypt volume, decrypted, as FOLDER/volume");
  add_serving_options(program, &options);
  program.add("--foreground", &options.foreground, "stay, and log to standard error");
  program.add("--hold-writes", &options.hold_writes, "").not_shown();
  program.add("--while-fd", &options.while_fd, "").not_shown();
  program.add("--ready-fd", &options.ready_fd, "").not_shown();
  program.add("--called-as", &options.called_as, "program name in messages").not_shown();
  program.runs([] { return exit_done; });
  const ParsedCommandLine parsed = parse_command_line(program, VOLT_VERSION, argc, argv);
  if (parsed.chosen != nullptr) return options;
  *exit_status = parsed.exit_status;
  if (!parsed.problem.empty()) log_error("command line: " + parsed.problem);
  std::fputs(parsed.output.c_str(), stdout);
  return std::nullopt;
}

}  // namespace volt
