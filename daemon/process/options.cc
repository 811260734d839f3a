#include "daemon/process/options.h"

#include <cstdio>

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

std::optional<Options> parse_options(int argc, char** argv, int* exit_status) {
  Options options;
  Command program("voltd", "Serve a TrueCrypt or VeraCrypt volume, decrypted, as FOLDER/volume");
  add_serving_options(program, &options);
  program.add("--foreground", &options.foreground, "stay, and log to standard error");
  program.add("--hold-writes", &options.hold_writes, "").not_shown();
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
